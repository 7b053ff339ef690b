import { isatty } from 'node:tty';
import { isLockError } from '@locks/core';
import { messageOf } from '@locks/core/text';
import type { Output } from '../output/output.ts';
import { waitFor } from '../output/output.ts';
import { leaveBy } from '../run/leave.ts';
import { catchStopSignals } from '../run/stop-signals.ts';
import { openStore } from '../store/open-store.ts';
import type { StoreOptions } from '../store/open-store.ts';
import { createChanges } from '../watch/changes.ts';
import { createScreen } from '../watch/screen.ts';

/** Options of `locks watch`. */
export interface WatchOptions extends StoreOptions {
  /** In ms. */
  readonly interval: number;
}

/**
 * Shows the keys with `prefix` until the process is ended: a live table, or a row for each change.
 */
export async function watch(prefix: string, { interval, ...options }: WatchOptions, output: Output): Promise<never> {
  const stop = catchStopSignals(leaveBy);
  const locks = await openStore(options, output);
  const view = !output.json && isatty(1) ? createScreen(prefix) : createChanges(prefix, output);
  let resized = new AbortController();
  process.on('SIGWINCH', () => resized.abort());
  while (!stop.aborted.aborted) {
    resized = new AbortController();
    try {
      await view.refresh(locks);
    } catch (error) {
      if (!isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
      view.fail(messageOf(error));
    }
    await waitFor(interval, AbortSignal.any([stop.aborted, resized.signal]));
  }
  view.end();
  await locks.close();
  return leaveBy(stop.caught() ?? 'SIGTERM');
}
