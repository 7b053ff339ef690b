import { jobOfLock } from '@locks/core/adapter';
import type { Output } from '../output/output.ts';
import { withStore } from '../store/open-store.ts';
import type { StoreOptions } from '../store/open-store.ts';
import { sortedKeys, statesOf } from '../state/states-of.ts';
import { keyText, stateRow, stateWord, waitersWord } from '../state/state-text.ts';

/** Options of `locks ls`. */
export interface LsOptions extends StoreOptions {
  /** Also prints the state of each key, at one more call per key. */
  readonly long?: boolean | undefined;
}

/** Prints the keys with `prefix` that are held or waited for, sorted by name. */
export async function ls(prefix: string, options: LsOptions, output: Output): Promise<void> {
  await withStore(options, output, async (locks) => {
    const keys = await sortedKeys(locks, prefix);
    if (options.long !== true) {
      for (const key of keys) await output.print(keyText(key), { key, job: jobOfLock(key) });
      return;
    }
    for (const state of await statesOf(locks, keys)) {
      await output.print(`${keyText(state.key)}\t${stateWord(state)}\t${waitersWord(state.waiters)}`, stateRow(state));
    }
  });
}
