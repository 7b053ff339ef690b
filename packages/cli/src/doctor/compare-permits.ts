import { createLocks } from '@locks/core';
import type { LockProvider, Locks, LockState } from '@locks/core';
import { runChecks, systemRuntime } from '@locks/core/adapter';
import type { Check, Finding } from '@locks/core/adapter';
import { printable } from '@locks/core/text';
import { sortedKeys, statesOf } from '../state/states-of.ts';

/** More would name more keys in the finding. Fewer hide how far the mistake goes. */
const mostNamed = 3;
/** In ms. With more, a large store is looked at to its end. With less, it is unknown sooner. */
const patience = 10_000;

const permits: Check<Locks> = {
  name: 'permits',
  async look(locks) {
    const states = await statesOf(locks, await sortedKeys(locks, ''));
    const differing = states.filter((state) => numbersOf(state).length > 1);
    if (differing.length === 0) return { level: 'ok', what: 'No key is claimed with different numbers of permits.' };
    const named = differing
      .slice(0, mostNamed)
      .map((state) => `${printable(state.key)} (${numbersOf(state).join(', ')})`);
    const more = differing.length > mostNamed ? `, and ${differing.length - mostNamed} more` : '';
    return {
      level: 'warning',
      what: `Keys are claimed with different numbers of permits: ${named.join(', ')}${more}.`,
      advice: 'Give all processes the same number. While a deploy changes it, wait until the old processes have ended.',
    };
  },
};

/** The numbers of permits that the holders and the waiters of a key have, the least first. */
function numbersOf({ holders, line = [] }: LockState): readonly number[] {
  return [...new Set([...holders, ...line].flatMap((claim) => claim.permits ?? []))].toSorted((a, b) => a - b);
}

/**
 * Looks whether the claims of each key have one number of permits. A store that cannot list has no
 * finding.
 */
export async function comparePermits(provider: LockProvider): Promise<readonly Finding[]> {
  if (provider.list === undefined || !provider.traits.shared) return [];
  const locks = createLocks(provider);
  try {
    return await runChecks([permits], locks, { backend: 'The store', within: patience, runtime: systemRuntime });
  } finally {
    await locks.close();
  }
}
