import { expect, it } from 'vitest';
import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { LockProvider } from '@locks/core';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';
import { Registers } from '../../../core/src/objects/jobs/registers.ts';
import { CombinedProvider } from '../../src/combine/combined-provider.ts';
import { combine } from '../../src/index.ts';
import type { CombineOptions } from '../../src/index.ts';
import { through } from '../../../core/test/support/through.ts';

type Client = Required<Pick<LockProvider, 'register'>>;

/** Clients of a register over members whose calls are slow, fail, or lose their answers. */
interface World {
  readonly runtime: VirtualRuntime;
  client(options?: CombineOptions): Client;
  /** One that uses the first member alone. */
  plain(): Client;
  /** A member that does not answer. */
  readonly down: Set<number>;
  /** What each member has. */
  texts(name: string): Promise<readonly (string | undefined)[]>;
  /** A member comes back without its data. */
  empty(index: number): Promise<void>;
  pause(ms: number): Promise<void>;
}

function createWorld(seed: number, members: number, faults: number): World {
  const runtime = new VirtualRuntime({ seed });
  const make = () => createMemoryStore({ runtime });
  const stores = Array.from({ length: members }, make);
  const down = new Set<number>();
  const pause = (ms: number): Promise<void> => new Promise((resolve) => runtime.setTimer(resolve, ms, true));
  const open = (index: number): LockProvider => createMemoryProvider({ store: stores[index]! });
  const slow = (index: number): LockProvider => ({
    ...through(open(index), (call) => call()),
    async register(...call) {
      await pause(runtime.random() * 20);
      if (down.has(index) || runtime.random() < faults) throw new Error('not sent');
      const text = await open(index).register!(...call);
      if (runtime.random() < faults) throw new Error('no answer');
      await pause(runtime.random() * 20);
      return text;
    },
  });
  return {
    runtime,
    down,
    pause,
    client: (options = {}) => combine([...stores.keys()].map(slow), { ...options, runtime }) as Client,
    plain() {
      const registers = new Registers(slow(0));
      let raw: string | undefined;
      return {
        async register(name, change) {
          const text = await (change ? registers.change(name, raw, change.to) : registers.read(name));
          ({ raw } = text);
          return text.value;
        },
      };
    },
    texts: (name) => Promise.all([...stores.keys()].map((index) => open(index).register!(name))),
    async empty(index) {
      // Another process may have given it its place in the quorum again.
      const to = await open(index).register!('quorum');
      stores[index] = make();
      if (to !== undefined) await open(index).register!('quorum', { from: undefined, to });
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
  clients: readonly Client[],
  times: number,
): Promise<readonly (readonly [string | undefined, string])[]> {
  const made: (readonly [string | undefined, string])[] = [];
  const one = async ({ register }: Client, id: number): Promise<void> => {
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
  await finish(world.runtime, Promise.all(clients.map(one)));
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
      const made = await compete(
        world,
        Array.from({ length: 4 }, () => world.client()),
        8,
      );
      all += made.length;
      mustBeChain(made, seed);
      if (faults === 0) {
        const last = await finish(world.runtime, world.client().register('counter'));
        const replaced = new Set(made.map(([text]) => text));
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

/** Fails where one text was changed twice. */
function mustBeChain(made: readonly (readonly [string | undefined, string])[], seed: number): void {
  const from = made.map(([text]) => text);
  expect(new Set(from).size, `seed ${seed}: ${JSON.stringify(made)}`).toBe(from.length);
}

it('keeps what was settled while members are emptied, one after the other', async () => {
  let [all, emptied] = [0, 0];
  for (let seed = 1; seed <= 240; seed += 1) {
    const world = createWorld(seed, 3, 0.02);
    const { register } = world.client();
    let over = false;
    const emptying = (async () => {
      for (let index = 0; !over; await world.pause(50)) {
        await register('counter').catch(() => {});
        // A member that returned has the text again.
        if (!(await world.texts('counter')).every((text) => text?.endsWith(':') === false)) continue;
        await world.empty(index);
        emptied += 1;
        index = (index + 1) % 3;
      }
    })();
    const made = await compete(
      world,
      Array.from({ length: 3 }, () => world.client()),
      8,
    );
    over = true;
    await finish(world.runtime, emptying);
    all += made.length;
    mustBeChain(made, seed);
  }
  expect(all).toBeGreaterThan(300);
  expect(emptied).toBeGreaterThan(300);
}, 60_000);

it('is the same for a process that uses the first member alone', async () => {
  let all = 0;
  for (let seed = 1; seed <= 60; seed += 1) {
    const world = createWorld(seed, 2, 0.02);
    const clients = [world.client({ need: 'all' }), world.plain(), world.client({ need: 'all' }), world.plain()];
    const made = await compete(world, clients, 8);
    all += made.length;
    mustBeChain(made, seed);
  }
  expect(all).toBeGreaterThan(300);
}, 60_000);

it('is not known where the members that have its text may have missed a later one', async () => {
  const world = createWorld(1, 3, 0);
  const { register } = world.client();
  const read = (): Promise<string | undefined> => finish(world.runtime, register('name'));
  await finish(world.runtime, register('name', { from: undefined, to: 'a' }));
  world.down.add(2);
  await finish(world.runtime, register('name', { from: 'a', to: 'b' }));
  world.down.delete(2);
  await world.empty(0);
  // The first one forgot the text, and the third one has an older one.
  world.down.add(1);
  await expect(read()).rejects.toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    message: expect.stringMatching(/member 1 of 3 .*it has no copy.* member 2 of 3/) as unknown,
  });
  world.down.delete(1);
  expect(await read()).toBe('b');
  world.down.add(1);
  expect(await read()).toBe('b');
});

it.each([
  ['many compete', 30, []],
  ['two of three do not answer', 2, [0, 1]],
])('ends by its deadline where %s', async (_, clients, down) => {
  const world = createWorld(1, 3, 0);
  for (const index of down) world.down.add(index);
  const limit = 1_000;
  const took: number[] = [];
  const one = async (id: number): Promise<void> => {
    const { register } = world.client({ timeout: limit, memberTimeout: 100 });
    for (let time = 0; time < 5; time += 1) {
      const from = await register('counter').catch(() => undefined);
      const start = world.runtime.time;
      const error: unknown = await register('counter', { from, to: `${id}.${time}` }).catch(
        (reason: unknown) => reason,
      );
      took.push(world.runtime.time - start);
      if (error instanceof Error) expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    }
  };
  await finish(world.runtime, Promise.all(Array.from({ length: clients }, (_unused, id) => one(id))));
  expect(Math.max(...took)).toBeLessThanOrEqual(limit + 10);
});

it('ends by its deadline where each promise is overtaken', async () => {
  const runtime = new VirtualRuntime();
  let version = 1;
  const overtaken = (): LockProvider => ({
    ...through(createMemoryProvider(), (call) => call()),
    register: async (name) => {
      await new Promise<void>((resolve) => void runtime.setTimer(resolve, 5, true));
      version += 1;
      return name === 'quorum' ? 'same' : `1~${version.toString(36)}~tag:text`;
    },
  });
  const { register } = new CombinedProvider({
    ...{ providers: [overtaken(), overtaken(), overtaken()], need: 2, fencing: true, runtime },
    ...{ memberTimeout: 100, timeout: 1_000 },
  });
  const start = runtime.time;
  const call = finish(runtime, register!('name', { from: 'text', to: 'next' }));
  await expect(call).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  expect(runtime.time - start).toBeLessThanOrEqual(1_010);
});

it('works while a minority does not answer, and rejects without a majority', async () => {
  const world = createWorld(1, 3, 0);
  const { register } = world.client();
  world.down.add(2);
  expect(await finish(world.runtime, register('name', { from: undefined, to: 'a' }))).toBe('a');
  expect(await finish(world.runtime, register('name', { from: 'a', to: 'b' }))).toBe('b');
  world.down.delete(2);
  await world.runtime.advance(2_000);
  // A read gives the text to the member that was away.
  expect(await finish(world.runtime, register('name'))).toBe('b');
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
  expect(await both.register!('name', { from: 'before', to: 'x'.repeat(225) })).toHaveLength(225);
  await expect(both.register!('name', { from: 'a', to: 'x'.repeat(226) })).rejects.toThrow('1 to 225');
  expect(await both.register!('name', { from: 'x'.repeat(225), to: undefined })).toBeUndefined();
  expect(await both.register!('name', { from: undefined, to: 'again' })).toBe('again');
});
