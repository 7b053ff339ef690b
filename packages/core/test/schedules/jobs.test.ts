import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Lease } from '../../src/index.ts';
import { simulate } from '../../src/testing/index.ts';
import type { Scenario, World } from '../../src/testing/index.ts';
import { asked, timeout } from './asked.ts';
import { replaced } from '../support/replaced.ts';
import type { Flaw } from './flaws.ts';
import { Holds } from './holds.ts';
import type { Part } from './holds.ts';
import { openMemory, openRecord } from './stores.ts';

const options = { ...asked, steps: 20 };
const minute = 60_000;
/** How often a slot may run: `retry` tries it three times more. */
const most = { keep: 1, retry: 4 };

beforeEach(() => {
  vi.spyOn(process, 'emitWarning').mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Calls of `once` for a few slots, whose runs are counted. */
function jobs(world: World, onFailure: 'keep' | 'retry', flaw: Flaw = {}, open = openMemory): Scenario {
  const starts = new Map<number, number>();
  const successes = new Set<number>();
  const { origin } = world.runtime.clock;
  const first = Math.floor(origin / minute) * minute - 10 * minute;
  const holds = new Holds(world);
  let steps = 0;
  const look = async (locks: World['processes'][number]['locks']): Promise<void> => {
    const job = await locks.job('job');
    if (job?.state === 'done' && job.slot instanceof Date && !successes.has(job.slot.getTime()))
      world.report('recorded as done without a success');
  };
  return {
    look: () => holds.look(),
    open: open(world, holds, flaw),
    step(process) {
      steps += 1;
      const at = first + Math.floor(steps / 6) * minute;
      const wait = world.pick([undefined, 3_000]);
      const part = (): readonly Part[] => [{ key: 'job', mode: 'exclusive' }];
      const run = async (): Promise<void> => {
        const runs = (starts.get(at) ?? 0) + 1;
        starts.set(at, runs);
        if (runs > most[onFailure]) world.report(`${runs} runs in a slot`);
        await process.pause(world.integer(50));
        if (world.integer(3) === 0) throw new Error('work failed');
        successes.add(at);
      };
      const work = (lease: Lease): Promise<void> => holds.under(process, lease, part, run);
      const call = async (name: string): Promise<void> => {
        const answer = await process.locks.once('job', new Date(at), { ttl: 300, onFailure, wait }, work);
        if (answer.state === 'done' && !successes.has(at)) world.report(`${name}: told done without a success`);
        await look(process.locks);
      };
      process.run(`once in slot ${Math.floor(steps / 6)}`, call, ['Error: work failed', 'LOCK_JOB_FAILED']);
    },
  };
}

it.each([
  ['keep', 'memory', openMemory],
  ['retry', 'memory', openMemory],
  ['keep', 'records', openRecord],
  ['retry', 'records', openRecord],
] as const)('jobs keep their promises: %s, in %s', { timeout }, async (onFailure, _, open) => {
  const schedules = Math.ceil(asked.schedules / 40);
  await simulate({ ...options, schedules }, (world) => jobs(world, onFailure, {}, open));
});

it('1 000 schedules are enough to find two runs in a slot where the compare-and-set compares nothing', async () => {
  const flaw: Flaw = {
    server: (base) =>
      replaced(base, {
        register: async (name, given) => {
          if (given === undefined || !name.startsWith('job/')) return await base.register?.(name, given);
          return await base.register?.(name, { ...given, from: await base.register(name) });
        },
      }),
  };
  const played = simulate({ ...options, schedules: 1_000 }, (world) => jobs(world, 'keep', flaw));
  await expect(played).rejects.toThrow('2 runs in a slot');
});
