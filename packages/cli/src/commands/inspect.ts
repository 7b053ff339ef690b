import type { KeyState, UnknownState } from '@locks/core';
import { modeText, printable } from '@locks/core/text';
import type { Output } from '../output/output.ts';
import { bold, table } from '../output/table.ts';
import { withStore } from '../store/open-store.ts';
import type { StoreOptions } from '../store/open-store.ts';
import { holderColumns, stateRow, stateWord, waitersWord } from '../state/state-text.ts';

/** Prints who holds `key`, and how many wait for it. */
export async function inspect(key: string, options: StoreOptions, output: Output): Promise<void> {
  const state = await withStore(options, output, async (locks) => await locks.inspect(key));
  const parts = [`${bold(printable(key))}: ${stateWord(state)}, ${waitersWord(state.waiters)}`];
  if (state.holders.length > 0) {
    parts.push(table(['OWNER', 'MODE', 'TOKEN', 'FREE AGAIN IN'], state.holders.map(holderColumns)));
  }
  if (state.queue !== undefined) {
    const rows = state.queue.map((waiter, index) => [String(index + 1), printable(waiter.owner), modeText(waiter)]);
    parts.push(`\n${table(['TURN', 'OWNER', 'MODE'], rows)}`);
  }
  for (const [index, member] of (state.members ?? []).entries())
    parts.push(`member ${index + 1}: ${memberText(member)}`);
  await output.print(parts.join('\n'), stateRow(state));
}

function memberText(member: KeyState | UnknownState): string {
  if (member.holders === undefined) return `not known: ${printable(member.error.message)}`;
  const { holders, waiters, key } = member;
  const word = stateWord({ holders: holders.map((holder) => ({ ...holder, key })) });
  const owners = holders.map(({ owner }) => printable(owner)).join(', ');
  return `${word}${owners === '' ? '' : ` by ${owners}`}, ${waitersWord(waiters)}`;
}
