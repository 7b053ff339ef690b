import { checkHistory } from '../../../src/testing/index.ts';
import type { CheckHistoryOptions, HistoryCall, HistoryEvent } from '../../../src/testing/index.ts';

const exclusive: HistoryCall = { key: 'k', mode: 'exclusive', how: 'acquire' };

/** An event without its process, which is the first part of its id. */
type Noted = Without<HistoryEvent>;
type Without<Event> = Event extends unknown ? Omit<Event, 'process'> : never;

/** The events of process `a` and so on, which ids begin with. */
export function historyOf(...events: readonly (Noted | HistoryEvent)[]): HistoryEvent[] {
  return events.map((event) => ({ process: 'id' in event ? processOf(event.id) : 'control', ...event }));
}

/** Every process is killed at the end, so that nothing need be answered. */
export function killedAfter(events: readonly HistoryEvent[]): HistoryEvent[] {
  const processes = new Set(events.flatMap((event) => ('id' in event ? [processOf(event.id)] : [])));
  return [
    ...events,
    ...[...processes].map((process) => ({ type: 'ended', at: 10_000, process, killed: true }) as const),
  ];
}

/** The rules that `events` break, and how. Every process is killed at their end. */
export function violations(events: readonly HistoryEvent[], options: CheckHistoryOptions = {}): readonly string[] {
  return checkHistory(killedAfter(events), options).map(({ rule, message }) => `${rule}: ${message}`);
}

/** One lease: called and granted at `from`, promised for `left` ms, and released at `to`. */
export function lease(
  id: string,
  token: number,
  { from, to, left = 1_000, call = {}, answer = true }: LeaseOptions,
): readonly HistoryEvent[] {
  const granted = historyOf(
    { type: 'call', at: from, id, call: { ...exclusive, ...call } },
    { type: 'granted', at: from, id, token: `${token}`, remaining: left },
  );
  if (to === undefined) return granted;
  return [
    ...granted,
    ...historyOf(
      { type: 'release', at: to, id, remaining: Math.max(0, left - (to - from)) },
      { type: 'released', at: to + 1, id, answer },
    ),
  ];
}

interface LeaseOptions {
  /** In ms. */
  readonly from: number;
  /** In ms; absent: it was never released. */
  readonly to?: number;
  readonly left?: number;
  readonly call?: Partial<HistoryCall>;
  readonly answer?: boolean | string;
}

function processOf(id: string): string {
  return id.split('/')[0] ?? '';
}
