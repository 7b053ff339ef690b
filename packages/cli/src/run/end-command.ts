import { waitFor } from '../output/output.ts';
import type { RunningCommand } from './command.ts';
import { living, signalFamily, treeOf } from './processes.ts';

/** In ms: how often processes without a parent are checked. */
const look = 50;
/** In ms: how long to wait for killed processes. One that waits for a disk ends late. */
const killing = 500;

/**
 * Ends all processes of a command: TERM, and KILL after `grace` ms. Resolves when the last of them
 * has ended, or 500 ms after KILL.
 */
export async function endCommand({ family, ended }: RunningCommand, grace: number): Promise<void> {
  const end = performance.now() + grace;
  const left = (): number => Math.max(0, end - performance.now());
  // Once their parents have ended, they cannot be found.
  const known = family.isGroup ? [] : treeOf(family.pid);
  const alive = (): boolean => living(family, known).length > 0;
  if (grace > 0) {
    signalFamily(family, 'SIGTERM', known);
    // A stopped process receives no other signal until it continues.
    signalFamily(family, 'SIGCONT', known);
    await Promise.race([ended, waitFor(grace)]);
    // Examining all processes of a machine is slow, and is postponed while the first one lives.
    while (left() > 0 && alive()) await waitFor(Math.min(look, left()));
    if (left() > 0) return;
  }
  signalFamily(family, 'SIGKILL', known);
  const killed = performance.now();
  while (alive() && performance.now() - killed < killing) await waitFor(look / 5);
}
