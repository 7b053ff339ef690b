import type { LockProvider } from '@locks/core';
import { runChecks, systemRuntime } from '@locks/core/adapter';
import type { Check, Finding } from '@locks/core/adapter';
import { span } from '@locks/core/text';
import { percentile } from '../output/percentile.ts';

/** How often the store is asked. */
const looks = 20;
/** In ms, the median. A lease takes two of these, and each renewal one. */
const slow = { note: 20, warning: 200 };
/** In ms. `once` and tokens go by the clock of the store; logs go by that of each host. */
const clockOff = 1_000;

/** A store, and how long it takes to answer, in ms. */
interface Probed {
  readonly provider: LockProvider;
  readonly times: readonly number[];
}

const checks: readonly Check<Probed>[] = [
  {
    name: 'latency',
    look({ times }) {
      const [median, worst] = [percentile(times, 50), Math.max(...times)];
      const what = `The store answers in ${tenths(median)} (median of ${times.length}, at most ${tenths(worst)}).`;
      if (median < slow.note) return { level: 'ok', what };
      return {
        level: median < slow.warning ? 'note' : 'warning',
        what,
        advice: 'Move the store nearer, or hold locks for longer work.',
      };
    },
  },
  {
    name: 'clock',
    async look({ provider }) {
      if (provider.time === undefined) return undefined;
      const before = Date.now();
      const there = await provider.time();
      const off = there - (before + Date.now()) / 2;
      if (Math.abs(off) < clockOff) return { level: 'ok', what: 'The clocks of the store and of this host agree.' };
      return {
        level: 'note',
        what: `The clock of the store is ${span(Math.abs(off))} ${off > 0 ? 'ahead of' : 'behind'} that of this host.`,
        advice: 'Synchronise the clocks: locks do not need it, but logs and the slots of once do.',
      };
    },
  },
];

/** Asks a store for a key that nothing uses, and for its clock. */
export async function probeStore(
  provider: LockProvider,
): Promise<{ readonly findings: readonly Finding[]; readonly latency: number | undefined }> {
  const key = `locks-doctor/${systemRuntime.uniqueId()}`;
  const times: number[] = [];
  try {
    await provider.inspect(key);
    while (times.length < looks) {
      const began = performance.now();
      await provider.inspect(key);
      times.push(performance.now() - began);
    }
  } catch {
    // What was tried before says why.
    return { findings: [], latency: undefined };
  }
  const run = { backend: 'The store', within: 5_000, runtime: systemRuntime };
  return { findings: await runChecks(checks, { provider, times }, run), latency: percentile(times, 50) };
}

function tenths(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : span(ms);
}
