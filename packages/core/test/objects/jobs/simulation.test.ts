import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../../src/index.ts';
import type { LockProvider, Locks, OnceResult } from '../../../src/index.ts';
import { createRandom } from '../../../src/testing/random.ts';
import { VirtualRuntime } from '../../support/virtual-runtime.ts';

/** Runs of the real code, each with its own seed: rates of faults for each call of the store. */
interface Weather {
  readonly onFailure: 'keep' | 'retry';
  /** Of a call, before and after its effect: the process dies. */
  readonly death: number;
  /** The answer of a call is lost. */
  readonly loss: number;
  /**
   * Of a call, before and after its effect: it takes up to twice the ttl, so locks are lost by the
   * living.
   */
  readonly stall: number;
}

interface Found {
  readonly problems: string[];
  readonly runs: number;
}

beforeEach(() => {
  vi.spyOn(process, 'emitWarning').mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const ttl = 1_000;
const slots = 3;
const never = new Promise<never>(() => {});

/**
 * Three processes, three slots: who runs when, and what the record says once all holds are over.
 */
async function simulate(seed: number, weather: Weather, change = (provider: LockProvider) => provider): Promise<Found> {
  const random = createRandom(seed);
  const runtime = new VirtualRuntime({ seed });
  const store = createMemoryStore({ runtime });
  const problems: string[] = [];
  const starts = new Map<number, number>();
  const successes = new Map<number, number>();
  let atWork = 0;
  const time = (): number => random() * (random() < weather.stall ? 2 * ttl : 5);
  const pause = (ms: number): Promise<void> => new Promise((resolve) => runtime.setTimer(resolve, ms, true));
  const start = (): { readonly self: { dead: boolean }; readonly locks: Locks } => {
    const self = { dead: false };
    const provider = change(dying(createMemoryProvider({ store }), self));
    return { self, locks: createLocks(provider, { runtime }) };
  };
  const dying = (provider: LockProvider, self: { dead: boolean }): LockProvider => {
    const through = async <T>(call: () => Promise<T>, lossy: boolean): Promise<T> => {
      const fate = random();
      if (self.dead || fate < weather.death) self.dead = true;
      if (self.dead) return await never;
      await pause(time());
      const answer = await call();
      if (fate < 2 * weather.death) self.dead = true;
      if (self.dead) return await never;
      if (lossy && fate > 1 - weather.loss) throw new Error('the answer was lost');
      await pause(time());
      return answer;
    };
    const { name, traits } = provider;
    return {
      name,
      traits,
      tryAcquire: (...call) => through(() => provider.tryAcquire(...call), false),
      renew: (...call) => through(() => provider.renew(...call), true),
      release: (claim) => through(() => provider.release(claim), false),
      inspect: (key) => through(() => provider.inspect(key), false),
      time: () => through(() => provider.time!(), false),
      register: (...call) => through(() => provider.register!(...call), true),
      close: () => provider.close(),
    };
  };
  const first = Math.ceil((runtime.clock.origin + runtime.clock.now()) / 60_000) * 60_000;
  const processes = [start(), start(), start()];
  for (let round = 0; round < slots; round += 1) {
    const at = first + round * 60_000;
    await runtime.advance(at - runtime.clock.origin - runtime.clock.now());
    for (const { self, locks } of processes) {
      if (self.dead) continue;
      const wait = random() < 0.5 ? undefined : Math.ceil(random() * 10 * ttl);
      const work = async (): Promise<void> => {
        starts.set(at, (starts.get(at) ?? 0) + 1);
        atWork += 1;
        if (atWork > 1 && weather.stall === 0) problems.push('two at work');
        await pause(random() * 50);
        if (random() < weather.death) self.dead = true;
        atWork -= 1;
        if (self.dead) return await never;
        if (random() < 0.3) throw new Error('work failed');
        successes.set(at, (successes.get(at) ?? 0) + 1);
      };
      const options = { ttl, onFailure: weather.onFailure, wait };
      const check = (answer: OnceResult<void>): void => {
        if (answer.state === 'done' && !successes.has(at)) problems.push('told done without a success');
      };
      void pause(random() * 20)
        .then(() => locks.once('job', new Date(at), options, work))
        .then(check, () => {});
    }
    await runtime.advance(30_000);
    const watcher = createLocks(createMemoryProvider({ store }), { runtime });
    const job = await watcher.job('job');
    const idle = processes.every(({ self }) => self.dead) || weather.stall === 0;
    if (idle && job?.state === 'running') problems.push('told running, and no lock is held');
    if (job?.slot instanceof Date && job.slot.getTime() === at && job.state === 'done' && !successes.has(at)) {
      problems.push('recorded done without a success');
    }
  }
  for (const count of starts.values()) {
    if (count > (weather.onFailure === 'keep' ? 1 : 4)) problems.push(`${count} runs in a slot`);
  }
  return { problems, runs: [...starts.values()].reduce((sum, count) => sum + count, 0) };
}

const weathers: readonly Weather[] = [
  { onFailure: 'keep', death: 0.02, loss: 0.02, stall: 0 },
  { onFailure: 'retry', death: 0.02, loss: 0.02, stall: 0 },
  { onFailure: 'keep', death: 0.01, loss: 0.02, stall: 0.1 },
];

it.each(weathers)(
  'keeps its promises under %o',
  async (weather) => {
    let runs = 0;
    for (let seed = 1; seed <= 150; seed += 1) {
      const found = await simulate(seed, weather);
      expect(found.problems, `seed ${seed}`).toEqual([]);
      runs += found.runs;
    }
    expect(runs).toBeGreaterThan(150);
  },
  60_000,
);

it('finds two runs in a slot where the compare-and-set compares nothing', async () => {
  const blind = (provider: LockProvider): LockProvider => ({
    ...provider,
    register: async (name, given) => {
      if (given === undefined || !name.startsWith('job/')) return await provider.register!(name, given);
      return await provider.register!(name, { ...given, from: await provider.register!(name) });
    },
  });
  const found: string[] = [];
  for (let seed = 1; seed <= 150; seed += 1) found.push(...(await simulate(seed, weathers[2]!, blind)).problems);
  expect(found).toContain('2 runs in a slot');
}, 60_000);
