import type { EventView, KeyOrder, KeyView, StateView } from '../src/views.ts';
import { createBreakDialog, problemOf } from './break-dialog.ts';
import { byId, list, setText } from './dom.ts';
import { createEventRow } from './event-row.ts';
import { createKeyRow } from './key-row.ts';
import { nextFocus } from './next-focus.ts';

/** In ms: between an answer and the next request. */
const pause = 1_000;
/** In ms: a server that does not answer is given up after that. */
const patience = 15_000;

const [filter, status, problem, done, keys, pager] = [
  byId('filter', HTMLInputElement),
  byId('status', HTMLElement),
  byId('problem', HTMLElement),
  byId('done', HTMLElement),
  byId('keys', HTMLElement),
  byId('pager', HTMLElement),
];
const [byName, byWaiting] = [byId('by-name', HTMLButtonElement), byId('by-waiting', HTMLButtonElement)];
const [previous, next] = [byId('previous', HTMLButtonElement), byId('next', HTMLButtonElement)];

let page = 0;
let order: KeyOrder = 'name';
let canWrite = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let current = new AbortController();

const askToBreak = createBreakDialog((message) => {
  setText(done, message);
  done.hidden = false;
  setTimeout(() => (done.hidden = true), 8_000);
  lookNow();
});
const showKeys = list<KeyView>(
  keys,
  ({ key }) => key,
  (key) => createKeyRow(key, () => (canWrite ? askToBreak : undefined)),
);
const showEvents = list<EventView>(byId('events', HTMLElement), ({ id, at }) => `${id} ${at}`, createEventRow);

function number(value: number): string {
  return value.toLocaleString('en');
}

function show(state: StateView): void {
  ({ write: canWrite, page } = state);
  const { total, matched, pages, more, prefix, store } = state;
  const all = `${number(total)}${more ? '+' : ''}`;
  setText(byId('store', HTMLElement), store);
  setText(byId('prefix', HTMLElement), `${prefix}…`);
  byId('prefix', HTMLElement).hidden = prefix === '';
  setText(byId('rights', HTMLElement), canWrite ? 'can break' : 'read-only');
  byId('rights', HTMLElement).classList.toggle('warn', canWrite);
  setText(
    byId('count', HTMLElement),
    filter.value === '' ? `${all} held or waited for` : `${number(matched)} of ${all}`,
  );
  byName.ariaPressed = String(state.order === 'name');
  byWaiting.ariaPressed = String(state.order === 'waiting');
  byWaiting.disabled = !state.sortable;
  byWaiting.title = state.sortable ? 'Most first' : 'These are too many keys to sort. Filter them.';
  showKeys(state.keys);
  const empty = byId('empty', HTMLElement);
  empty.hidden = state.keys.length > 0;
  setText(empty, total === 0 ? 'Nothing is held, and nothing waits.' : 'No key has this text in its name.');
  pager.hidden = pages === 1;
  setText(byId('place', HTMLElement), `Page ${number(page + 1)} of ${number(pages)}`);
  previous.disabled = page === 0;
  next.disabled = page + 1 === pages;
  showEvents(state.events);
  byId('quiet', HTMLElement).hidden = state.events.length > 0;
}

function setStatus(text: string, name: 'live' | 'failed' | ''): void {
  setText(status, text);
  status.className = `status ${name}`;
  keys.classList.toggle('stale', name === 'failed');
}

async function look(signal: AbortSignal): Promise<void> {
  const query = new URLSearchParams({ filter: filter.value, page: String(page), order });
  const response = await fetch(`state?${query}`, { signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]) });
  if (!response.ok) throw new Error(await problemOf(response));
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('application/json')) throw new Error(await problemOf(response));
  const state = (await response.json()) as StateView;
  if (signal.aborted) return;
  show(state);
  problem.hidden = true;
  setStatus('Live', 'live');
}

/** Polls until the page is hidden, or something else is to be shown. */
function lookNow(): void {
  clearTimeout(timer);
  current.abort();
  if (document.hidden) return setStatus('Paused', '');
  current = new AbortController();
  const { signal } = current;
  look(signal)
    .catch((error: unknown) => {
      if (signal.aborted) return;
      // The server itself does not answer: each browser words this differently.
      const silent = error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError');
      const why = silent ? 'The server of this page does not answer.' : (error as Error).message;
      setText(problem, `${why} The page tries again.`);
      problem.hidden = false;
      setStatus('No answer', 'failed');
    })
    .finally(() => {
      if (!signal.aborted) timer = setTimeout(lookNow, pause);
    });
}

function turn(pages: number): void {
  page = Math.max(0, page + pages);
  lookNow();
}

function sortBy(wanted: KeyOrder): void {
  order = wanted;
  page = 0;
  lookNow();
}

filter.value = new URLSearchParams(location.hash.slice(1)).get('filter') ?? '';
filter.addEventListener('input', () => {
  page = 0;
  history.replaceState(null, '', `#${new URLSearchParams({ filter: filter.value })}`);
  lookNow();
});
byName.addEventListener('click', () => sortBy('name'));
byWaiting.addEventListener('click', () => sortBy('waiting'));
previous.addEventListener('click', () => turn(-1));
next.addEventListener('click', () => turn(1));
document.addEventListener('visibilitychange', lookNow);
document.addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || !(target instanceof Element)) return;
  const focus = nextFocus(key, target);
  if (focus === undefined) return;
  event.preventDefault();
  focus.focus();
});
lookNow();
