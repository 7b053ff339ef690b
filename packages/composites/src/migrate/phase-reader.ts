import { LockError } from '@locks/core/adapter';
import { describe } from '@locks/core/composite';
import { isPhaseWord } from './options.ts';
import type { PhaseWord } from './phase.ts';

/**
 * Reads the phase where it is a function. It gives `undefined` where that throws or gives anything
 * else, and calls `misread` when the reason is another one than before.
 */
export function phaseReader(read: () => unknown, misread: (error: unknown) => void): () => PhaseWord | undefined {
  let reason: string | undefined;
  return () => {
    let error: unknown;
    try {
      const phase = read();
      if (isPhaseWord(phase)) {
        reason = undefined;
        return phase;
      }
      error = new LockError('LOCK_MISCONFIGURED', `migrate: option "phase" gave ${describe(phase)}, not a phase.`);
    } catch (thrown) {
      error = thrown;
    }
    const before = reason;
    reason = String(error);
    if (reason !== before) misread(error);
    return undefined;
  };
}
