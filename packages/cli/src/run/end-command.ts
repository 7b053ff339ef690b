import { waitFor } from '../output/output.ts';
import type { RunningCommand } from './command.ts';
import { living, signalFamily, treeOf } from './processes.ts';

/** In ms: how often it looks whether processes without a parent have ended. */
const look = 50;
/** In ms: how long it waits for processes that were killed. One that waits for a disk ends late. */
const killing = 500;

/**
 * Ends all processes of a command: TERM, and after `grace` ms KILL. Resolves when the last of them
 * has ended, or was killed 500 ms ago.
 */
export async function endCommand({ family, ended }: RunningCommand, grace: number): Promise<void> {
  const end = performance.now() + grace;
  const left = (): number => Math.max(0, end - performance.now());
  // Where their parents end first, they cannot be found later.
  const known = family.isGroup ? [] : treeOf(family.pid);
  const alive = (): boolean => living(family, known).length > 0;
  if (grace > 0) {
    signalFamily(family, 'SIGTERM', known);
    // A process that is stopped hears nothing until it goes on.
    signalFamily(family, 'SIGCONT', known);
    await Promise.race([ended, waitFor(grace)]);
    // A look at all processes of a machine takes long, and is not made while the first one lives.
    while (left() > 0 && alive()) await waitFor(Math.min(look, left()));
    if (left() > 0) return;
  }
  signalFamily(family, 'SIGKILL', known);
  const killed = performance.now();
  while (alive() && performance.now() - killed < killing) await waitFor(look / 5);
}
