import { modeText, span } from '@locks/core/text';
import type { HolderView, KeyView, WaiterView } from '../src/views.ts';
import { list, make, setText } from './dom.ts';
import type { Row } from './dom.ts';

/** Called when the operator wants to end a lease. `undefined`: the page is read-only. */
export type AskToBreak = (key: KeyView, holder: HolderView) => void;

/** The keys whose details are shown, even if they reappear. */
const open = new Set<string>();

/** One key: a row, and its holders and waiters when it is opened. */
export function createKeyRow(first: KeyView, askToBreak: () => AskToBreak | undefined): Row<KeyView> {
  const name = make('span', 'name');
  const label = make('span');
  const mark = make('span', 'chip shared');
  const who = make('span', 'who', columnName('Holder'), label, mark);
  const left = createLeft();
  const waiting = make('span');
  const waits = make('span', 'waits', columnName('In the queue'), waiting);
  const button = make('button', 'row', name, who, left.element, waits);
  button.type = 'button';
  const detail = createDetail(askToBreak);
  const element = make('li', '', button, detail.element);
  let shown = first;

  const show = (): void => {
    const isOpen = open.has(shown.key);
    button.setAttribute('aria-expanded', String(isOpen));
    detail.element.hidden = !isOpen;
    if (isOpen) detail.update(shown);
  };
  button.addEventListener('click', () => {
    if (!open.delete(shown.key)) open.add(shown.key);
    show();
  });
  return {
    element,
    update(key) {
      shown = key;
      const [holder] = key.holders;
      setText(name, key.name);
      name.title = key.text;
      setText(label, holder?.label ?? 'free');
      who.classList.toggle('quiet', holder === undefined);
      setText(mark, key.run?.state ?? `shared by ${key.holders.length}`);
      mark.hidden = key.run === undefined && holder?.mode !== 'shared';
      left.update(soonest(key.holders));
      setText(waiting, waitsText(key));
      waits.classList.toggle('some', key.waiters > 0);
      show();
    },
  };
}

function waitsText({ waiters, queue: [next] }: KeyView): string {
  if (waiters === 0) return '0';
  return next === undefined ? `${waiters} in the queue` : `${waiters}, next ${next.label}`;
}

/** The name of a column, which screen readers read with each row. */
function columnName(name: string): HTMLElement {
  return make('span', 'unseen', ` ${name}: `);
}

/** The holder whose hold expires first. */
function soonest(holders: readonly HolderView[]): HolderView | undefined {
  const [first, ...others] = holders;
  const left = ({ remaining = Infinity }: HolderView): number => remaining;
  return others.reduce((least, holder) => (least && left(least) <= left(holder) ? least : holder), first);
}

/** The time until the hold expires, with a bar relative to the longest time seen. */
function createLeft(): Row<HolderView | undefined> {
  const name = columnName('Expires in');
  const text = make('span', '');
  const fill = make('i', '');
  const bar = make('span', 'bar', fill);
  bar.ariaHidden = 'true';
  const element = make('span', 'left', name, text, bar);
  let owner: string | undefined;
  let longest = 1;
  return {
    element,
    update(holder) {
      const remaining = holder?.remaining;
      if (holder?.owner !== owner) longest = 1;
      owner = holder?.owner;
      longest = Math.max(longest, remaining ?? 0);
      name.hidden = holder === undefined;
      setText(text, holder === undefined ? '' : span(remaining) || 'with its session');
      element.classList.toggle('session', remaining === undefined);
      bar.hidden = remaining === undefined;
      fill.style.width = `${Math.round((100 * (remaining ?? 0)) / longest)}%`;
    },
  };
}

function createDetail(askToBreak: () => AskToBreak | undefined): Row<KeyView> {
  const holders = make('ul', 'holders');
  const queue = make('ol', 'queue');
  const members = make('ul', 'members');
  const slot = make('p', 'quiet');
  const [holdersTitle, lineTitle, membersTitle] = [
    make('h3', '', 'Holders'),
    make('h3', '', 'In the queue'),
    make('h3', '', 'Members'),
  ];
  const parts = [slot, holdersTitle, holders, lineTitle, queue, membersTitle, members];
  const element = make('div', 'detail', ...parts);
  let shown: KeyView;
  const ownerOf = ({ owner }: HolderView): string => owner;
  const updateHolders = list(holders, ownerOf, () => createHolder((holder) => askToBreak()?.(shown, holder)));
  const updateQueue = list<WaiterView>(queue, ({ text }) => text, createWaiter);
  const updateMembers = list<string>(members, (_, index) => String(index), createMember);
  return {
    element,
    update(key) {
      shown = key;
      updateHolders(key.holders);
      updateQueue(key.queue);
      updateMembers(key.members);
      const untold = key.waiters - key.queue.length;
      setText(lineTitle, untold > 0 ? `In the queue, and ${untold} more` : 'In the queue');
      setText(slot, `Slot ${key.run?.slot}`);
      slot.hidden = key.run === undefined;
      holdersTitle.hidden = key.holders.length === 0;
      lineTitle.hidden = key.waiters === 0;
      membersTitle.hidden = key.members.length === 0;
      for (const button of holders.querySelectorAll('button')) button.hidden = askToBreak() === undefined;
    },
  };
}

function createHolder(askToBreak: (holder: HolderView) => void): Row<HolderView> {
  const owner = make('span', 'owner');
  const mode = make('span', 'quiet');
  const token = make('span', 'token');
  const tokenText = make('span');
  const tokenName = columnName('Fencing token');
  token.append(tokenName, tokenText);
  const left = createLeft();
  const button = make('button', 'danger', 'Break…');
  button.type = 'button';
  let shown: HolderView;
  button.addEventListener('click', () => askToBreak(shown));
  token.title = 'fencing token';
  return {
    element: make('li', '', owner, mode, token, left.element, button),
    update(holder) {
      shown = holder;
      setText(owner, holder.text);
      setText(mode, modeText(holder));
      tokenName.hidden = holder.token === undefined;
      setText(tokenText, holder.token === undefined ? '' : `#${holder.token}`);
      left.update(holder);
      button.ariaLabel = `Break the lease of ${holder.text}`;
    },
  };
}

function createWaiter(): Row<WaiterView> {
  const owner = make('span', 'owner');
  const mode = make('span', 'quiet');
  return {
    element: make('li', '', owner, mode),
    update(waiter) {
      setText(owner, waiter.text);
      setText(mode, modeText(waiter));
    },
  };
}

function createMember(): Row<string> {
  const element = make('li', '');
  return { element, update: (text) => setText(element, text) };
}
