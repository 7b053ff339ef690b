import type { LockProvider } from '@locks/core';
import { runChecks, systemRuntime } from '@locks/core/adapter';
import type { Check, Finding } from '@locks/core/adapter';
import { span } from '@locks/core/text';

/** In ms. With less, a slow answer counts as a difference. With more, tokens may fall unnoticed. */
const tolerated = 1_000;

const clock: Check<LockProvider> = {
  name: 'clock',
  async look(provider) {
    if (provider.time === undefined) return undefined;
    const before = Date.now();
    const there = await provider.time();
    const off = there - (before + Date.now()) / 2;
    if (Math.abs(off) < tolerated) return { level: 'ok', what: 'The clocks of the store and of this host agree.' };
    return {
      level: 'note',
      what: `The clock of the store is ${span(Math.abs(off))} ${off > 0 ? 'ahead of' : 'behind'} that of this host.`,
      advice: 'Synchronise the clocks: in a migration, tokens of a store whose clock is behind may be lower.',
    };
  },
};

/** Compares the clock of a store, if it has one, with that of this host. */
export async function compareClock(provider: LockProvider): Promise<readonly Finding[]> {
  return await runChecks([clock], provider, { backend: 'The store', within: 5_000, runtime: systemRuntime });
}
