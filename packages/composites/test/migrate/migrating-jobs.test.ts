import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLocks } from '../../../core/src/index.ts';
import type { LockProvider, Locks, OnceResult } from '../../../core/src/index.ts';
import { createRandom } from '../../../core/src/testing/random.ts';
import { combine, migrate } from '../../src/index.ts';
import type { PhaseWord } from '../../src/index.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';
import { movingWorld } from '../support/migrating-world.ts';
import type { MovingWorld } from '../support/migrating-world.ts';
import { through } from '../../../core/test/support/through.ts';

/** How a process is configured. `plain`: a store without `migrate`. `all`: a `combine` of both. */
type Kind = PhaseWord | 'plain from' | 'plain to' | 'all';

/** Which call of a store a process dies at, before or after its effect. */
interface Death {
  readonly call: number;
  readonly after: boolean;
}

const minute = 60_000;
const never = new Promise<never>(() => {});

beforeEach(() => {
  // A result may not be recorded.
  vi.spyOn(process, 'emitWarning').mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Processes that run one job, and what they have run. */
function jobWorld(seed: number) {
  const world = movingWorld();
  const random = createRandom(seed);
  const time = (): number => world.runtime.clock.origin + world.runtime.clock.now();
  const pause = (ms: number): Promise<void> => new Promise((resolve) => world.runtime.setTimer(resolve, ms, true));
  const runs = new Map<number, number>();
  const answers: OnceResult<void>[] = [];

  function start(kind: Kind, label: string) {
    const self = { dead: false, calls: 0, death: undefined as Death | undefined, phase: kind as PhaseWord };
    const pass = async <T>(send: () => Promise<T>): Promise<T> => {
      self.calls += 1;
      const own = self.death?.call === self.calls;
      if (own && self.death?.after === false) self.dead = true;
      if (self.dead) return await never;
      await pause(random() * 5);
      const answer = await send();
      if (own) self.dead = true;
      if (self.dead) return await never;
      await pause(random() * 5);
      return answer;
    };
    const open = (store: 'from' | 'to'): LockProvider => {
      const provider = world[store].open();
      const { time: clock, register, list } = provider as Required<LockProvider>;
      return {
        ...through(provider, pass),
        list,
        time: () => pass(clock),
        register: (...args) => pass(() => register(...args)),
      };
    };
    const runtime = new VirtualRuntime({ with: world.runtime, seed });
    const provider = ((): LockProvider => {
      if (kind === 'plain from' || kind === 'plain to') return open(kind === 'plain from' ? 'from' : 'to');
      if (kind === 'all') return combine([open('from'), open('to')], { need: 'all', runtime });
      const options = { name: 'm', from: open('from'), to: open('to'), label, presenceTtl: 3_000, settle: 0, runtime };
      return migrate({ ...options, phase: () => self.phase });
    })();
    const locks = createLocks(provider, { label, runtime });
    return { self, locks, call: (slot: number) => call(locks, self, slot) };
  }

  async function call(locks: Locks, self: { dead: boolean }, slot: number): Promise<void> {
    if (self.dead) return;
    const work = async (): Promise<void> => {
      runs.set(slot, (runs.get(slot) ?? 0) + 1);
      await pause(random() * 50);
      if (self.dead) return await never;
    };
    // Where a call fails, another process has the slot, or none.
    await locks.once('job', new Date(slot), { ttl: 1_000 }, work).then(
      (answer) => void answers.push(answer),
      () => {},
    );
  }

  /** The next full minute, which has come. */
  async function nextSlot(): Promise<number> {
    const slot = Math.floor(time() / minute + 1) * minute;
    await world.runtime.advance(slot - time());
    return slot;
  }

  return { world, start, nextSlot, runs, answers, random, pause };
}

type Started = ReturnType<ReturnType<typeof jobWorld>['start']>;

/** Both processes call in three slots. The first one dies in the second slot, and calls no more. */
async function crash(kinds: readonly [Kind, Kind], death: Death) {
  const { world, start, nextSlot, runs, answers } = jobWorld(death.call);
  const processes = kinds.map((kind, index) => start(kind, `p${index}`)) as [Started, Started];
  const [first, second] = processes;
  const slots: number[] = [];
  let began = true;
  for (let round = 0; round < 3; round += 1) {
    const slot = await nextSlot();
    slots.push(slot);
    if (round === 1) {
      // Until here it has entered its phase.
      first.self.calls = 0;
      first.self.death = death;
    }
    void first.call(slot);
    void second.call(slot);
    await world.runtime.advance(5_000);
    if (round === 1) began = first.self.calls >= death.call;
    first.self.death = undefined;
  }
  const job = answers.at(-1)?.job;
  return { began, runs: slots.map((slot) => runs.get(slot) ?? 0), job, last: slots.at(-1), world };
}

/** What a plain process of `store` reads. */
async function readIn(world: MovingWorld, store: 'from' | 'to'): Promise<number | undefined> {
  const locks = createLocks(world[store].open(), { runtime: world.runtime });
  const { slot } = (await world.settled(locks.job('job'))) ?? {};
  return slot instanceof Date ? slot.getTime() : undefined;
}

describe('a job runs once in a slot, whichever call of a store its process dies at', () => {
  test.each<readonly [Kind, Kind, 'from' | 'to' | 'both']>([
    ['plain from', 'both', 'from'],
    ['both', 'plain from', 'from'],
    ['from', 'both', 'from'],
    ['both', 'from', 'from'],
    ['both', 'both', 'both'],
    ['both', 'to', 'to'],
    ['to', 'both', 'to'],
    ['plain to', 'both', 'to'],
    ['both', 'plain to', 'to'],
    ['plain from', 'all', 'from'],
    ['all', 'plain from', 'from'],
    ['all', 'plain to', 'to'],
    ['plain to', 'all', 'to'],
  ])('in "%s", beside one in "%s"', { timeout: 120_000 }, async (one, other, where) => {
    let deaths = 0;
    for (let call = 1, began = true; began; call += 1) {
      for (const after of [false, true]) {
        const found = await crash([one, other], { call, after });
        ({ began } = found);
        const message = `died at call ${call}, ${after ? 'after' : 'before'} its effect`;
        const [before, at, next] = found.runs;
        expect([before, next], message).toEqual([1, 1]);
        expect(at, message).toBeLessThanOrEqual(1);
        for (const store of where === 'both' ? (['from', 'to'] as const) : [where]) {
          expect(await readIn(found.world, store), message).toBe(found.last);
        }
        deaths += 1;
      }
    }
    expect(deaths).toBeGreaterThan(10);
  });
});

test.each<readonly [Kind, Kind, 'from' | 'to']>([
  ['both', 'both', 'from'],
  ['both', 'both', 'to'],
  ['from', 'both', 'to'],
  ['both', 'to', 'from'],
  ['plain from', 'all', 'to'],
  ['plain to', 'all', 'from'],
])('a job in "%s" and "%s" loses nothing with the store "%s"', async (one, other, lost) => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { world, start, nextSlot, runs, random, pause } = jobWorld(seed);
    const processes = [start(one, 'a'), start(other, 'b')];
    for (let round = 0; round < 4; round += 1) {
      const slot = await nextSlot();
      if (round === 2) void pause(random() * 100).then(() => world[lost].empty());
      for (let call = 0; call < 3; call += 1) {
        for (const process of processes) void process.call(slot);
        await world.runtime.advance(10_000);
      }
      // A lock that is lost while a job runs ends nothing: its record counts.
      expect(runs.get(slot), `seed ${seed}, round ${round}`).toBe(1);
    }
  }
});

test('a change that its store answers when the process has left it is in both stores', async () => {
  const world = movingWorld();
  const from = world.from.open();
  let answer: (() => void) | undefined;
  const late: LockProvider = {
    ...from,
    register: async (...args) => {
      const text = await from.register?.(...args);
      if (args[1] !== undefined && answer === undefined) await new Promise<void>((resolve) => (answer = resolve));
      return text;
    },
  };
  let provider: LockProvider | undefined;
  const made: typeof migrate = (options) => (provider = migrate(options));
  const process = world.process('a', 'from', { from: late, made });
  await world.until(() => process.place === 'from');
  const change = provider!.register!('name', { from: undefined, to: 'text' });
  await world.until(() => answer !== undefined);
  process.phase = 'both';
  await world.until(() => process.place === 'both');
  answer!();
  expect(await world.settled(change)).toBe('text');
  for (const store of ['from', 'to'] as const) expect(await world[store].open().register?.('name')).toMatch(/:text$/);
});
