import { byId } from './dom.ts';

/** Where `key` moves the focus from `target`: `/` to the filter, arrow keys from key to key. */
export function nextFocus(key: string, target: Element): HTMLElement | undefined {
  const filter = byId('filter', HTMLInputElement);
  if (target instanceof HTMLInputElement && (target !== filter || key !== 'ArrowDown')) return undefined;
  if (key === '/') return filter;
  // There they scroll.
  if (target.closest('.events, dialog') !== null) return undefined;
  const rows = [...byId('keys', HTMLElement).querySelectorAll<HTMLElement>('button.row')];
  const at = rows.findIndex((row) => row.parentElement?.contains(target) === true);
  if (key === 'ArrowDown') return rows[at + 1];
  if (key === 'ArrowUp') return at > 0 ? rows[at - 1] : filter;
  return undefined;
}
