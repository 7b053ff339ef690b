import { jobOfLock } from '@locks/core/adapter';
import { printable } from '@locks/core/text';
import { sentence } from '../output/output.ts';
import type { Output } from '../output/output.ts';
import { keyText, stateRow, stateWord, waitersWord } from '../state/state-text.ts';
import { sortedKeys, stateOf, statesOf } from '../state/states-of.ts';
import type { KeyState } from '../state/states-of.ts';
import type { View } from './view.ts';

/** Prints a row for each key whose holders, or whose number of waiters, have changed. */
export function createChanges(prefix: string, output: Output): View {
  const known = new Map<string, string>();
  const tell = async (state: KeyState): Promise<void> => {
    const owners = state.holders.map(({ owner }) => printable(owner)).join(', ');
    const by = owners === '' ? '' : ` by ${owners}`;
    const text = `${keyText(state.key)}\t${stateWord(state)}${by}\t${waitersWord(state.waiters)}`;
    if (known.get(state.key) === text) return;
    known.set(state.key, text);
    await output.print(text, { at: new Date().toISOString(), ...stateRow(state) });
  };
  return {
    async refresh(locks) {
      const keys = await sortedKeys(locks, prefix);
      for (const state of await statesOf(locks, keys)) await tell(state);
      const present = new Set(keys);
      for (const key of known.keys()) {
        if (present.has(key)) continue;
        // The outcome of the job is in its record.
        await tell(jobOfLock(key) === undefined ? { key, holders: [], waiters: 0 } : await stateOf(locks, key));
        known.delete(key);
      }
    },
    fail: (message) => output.say(`${sentence(message)} Tries again.`, { event: 'unreachable', message }),
    end() {},
  };
}
