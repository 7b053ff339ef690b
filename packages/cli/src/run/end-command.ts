import { waitFor } from '../output/output.ts';
import { living, signalFamily } from './processes.ts';
import type { Family } from './processes.ts';

/** In ms: how often it looks whether the processes have ended. */
const look = 50;

/**
 * Ends all processes of a command: TERM, and after `grace` ms KILL. Resolves when the last of them
 * has ended, or was killed.
 */
export async function endCommand(family: Family, grace: number): Promise<void> {
  const end = performance.now() + grace;
  // Where their parents end first, they cannot be found later.
  const known = living(family);
  if (grace > 0) {
    signalFamily(family, 'SIGTERM', known);
    // A process that is stopped hears nothing until it goes on.
    signalFamily(family, 'SIGCONT', known);
    while (performance.now() < end && living(family, known).length > 0) {
      await waitFor(Math.min(look, Math.max(0, end - performance.now())));
    }
  }
  if (living(family, known).length > 0) signalFamily(family, 'SIGKILL', known);
}
