import { expect, it } from 'vitest';
import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { LockProvider } from '@locks/core';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';
import { combine } from '../../src/index.ts';

/** Clients of a register over members whose calls are slow, fail, or lose their answers. */
interface World {
  readonly runtime: VirtualRuntime;
  client(): Required<Pick<LockProvider, 'register'>>;
  /** A member that does not answer. */
  readonly down: Set<number>;
  pause(ms: number): Promise<void>;
}

function createWorld(seed: number, members: number, faults: number): World {
  const runtime = new VirtualRuntime({ seed });
  const stores = Array.from({ length: members }, () => createMemoryStore({ runtime }));
  const down = new Set<number>();
  const pause = (ms: number): Promise<void> => new Promise((resolve) => runtime.setTimer(resolve, ms, true));
  const slow = (provider: LockProvider, index: number): LockProvider => ({
    name: provider.name,
    traits: provider.traits,
    tryAcquire: (...call) => provider.tryAcquire(...call),
    renew: (...call) => provider.renew(...call),
    release: (claim) => provider.release(claim),
    inspect: (key) => provider.inspect(key),
    close: () => provider.close(),
    async register(...call) {
      await pause(runtime.random() * 20);
      if (down.has(index) || runtime.random() < faults) throw new Error('not sent');
      const text = await provider.register!(...call);
      if (runtime.random() < faults) throw new Error('no answer');
      await pause(runtime.random() * 20);
      return text;
    },
  });
  return {
    runtime,
    down,
    pause,
    client() {
      const providers = stores.map((store, index) => slow(createMemoryProvider({ store }), index));
      return combine(providers, { need: 'majority', runtime }) as Required<Pick<LockProvider, 'register'>>;
    },
  };
}

/** Lets virtual time pass until `call` has settled. */
async function finish<T>(runtime: VirtualRuntime, call: Promise<T>): Promise<T> {
  let open = true;
  void call.finally(() => (open = false)).catch(() => {});
  for (let steps = 0; open && steps < 10_000; steps += 1) await runtime.advance(10);
  return await call;
}

/** Changes that were made, as pairs. Each client tries to add to what it has read. */
async function compete(
  world: World,
  clients: number,
  times: number,
): Promise<readonly (readonly [string | undefined, string])[]> {
  const made: (readonly [string | undefined, string])[] = [];
  const one = async (id: number): Promise<void> => {
    const { register } = world.client();
    for (let time = 0; time < times; time += 1) {
      await world.pause(world.runtime.random() * 50);
      try {
        const from = await register('counter');
        const to = `${id}.${time}`;
        if ((await register('counter', { from, to })) === to) made.push([from, to]);
      } catch {
        // It may have been made.
      }
    }
  };
  await finish(world.runtime, Promise.all(Array.from({ length: clients }, (_, id) => one(id))));
  return made;
}

it.each([
  [3, 0],
  [3, 0.05],
  [5, 0.05],
  [2, 0.02],
])(
  'makes one of the changes of one text, over %i members with faults %f',
  async (members, faults) => {
    let all = 0;
    for (let seed = 1; seed <= 60; seed += 1) {
      const world = createWorld(seed, members, faults);
      const made = await compete(world, 4, 8);
      all += made.length;
      const from = made.map(([text]) => text);
      expect(new Set(from).size, `seed ${seed}: ${JSON.stringify(made)}`).toBe(from.length);
      if (faults === 0) {
        const last = await finish(world.runtime, world.client().register('counter'));
        const replaced = new Set(from);
        expect(
          made.filter(([, to]) => !replaced.has(to)).map(([, to]) => to),
          `seed ${seed}`,
        ).toEqual([last]);
      }
    }
    expect(all).toBeGreaterThan(300);
  },
  60_000,
);

it('works while a minority does not answer, and rejects without a majority', async () => {
  const world = createWorld(1, 3, 0);
  const { register } = world.client();
  world.down.add(2);
  expect(await finish(world.runtime, register('name', { from: undefined, to: 'a' }))).toBe('a');
  expect(await finish(world.runtime, register('name', { from: 'a', to: 'b' }))).toBe('b');
  world.down.delete(2);
  world.down.add(0);
  expect(await finish(world.runtime, world.client().register('name'))).toBe('b');
  world.down.add(1);
  await expect(finish(world.runtime, register('name'))).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
});

it('reads a text that one member had before', async () => {
  const runtime = new VirtualRuntime();
  const stores = [createMemoryStore({ runtime }), createMemoryStore({ runtime })] as const;
  const [old, next] = stores.map((store) => createMemoryProvider({ store })) as [LockProvider, LockProvider];
  await old.register!('name', { from: undefined, to: 'before' });
  const both = combine([old, next], { need: 'all', runtime });
  expect(await both.register!('name')).toBe('before');
  expect(await both.register!('name', { from: 'before', to: 'x'.repeat(200) })).toHaveLength(200);
  await expect(both.register!('name', { from: 'a', to: 'x'.repeat(201) })).rejects.toThrow('1 to 200');
  expect(await both.register!('name', { from: 'x'.repeat(200), to: undefined })).toBeUndefined();
  expect(await both.register!('name', { from: undefined, to: 'again' })).toBe('again');
});
