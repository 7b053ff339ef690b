import type { EventKind, EventView } from '../src/views.ts';
import { make } from './dom.ts';
import type { Row } from './dom.ts';

const words: Readonly<Record<EventKind, string>> = {
  granted: 'granted to',
  ended: 'no longer held by',
  released: 'released by',
  lost: 'lost by',
  'gave-up': 'not granted to',
  slow: 'long wait of',
  broken: 'ended by force, held by',
  transferred: 'handed over by',
};

const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hour12: false });

/** One entry of the timeline, which never changes. */
export function createEventRow({ at, kind, key, label, detail }: EventView): Row<EventView> {
  const time = make('time', '', clock.format(at));
  time.dateTime = new Date(at).toISOString();
  const told = make('span', 'quiet', make('b', '', words[kind]), ` ${label}`);
  if (detail !== '') told.append(` · ${detail}`);
  const what = make('div', 'what', make('span', 'name', key), told);
  return { element: make('li', kind, time, what), update: () => {} };
}
