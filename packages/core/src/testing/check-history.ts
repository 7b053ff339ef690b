import type { HistoryEvent } from './history.ts';

type Granted = HistoryEvent & { readonly type: 'granted' };

interface Known {
  readonly grant: Granted;
  /** `late`: its holder called `release` when it was over, and may be told of the loss then. */
  state: 'held' | 'over' | 'late' | 'ended';
}

/**
 * The promises of a lock that a history breaks, in words. The list is empty if it breaks none.
 *
 * - Two leases of one key are never held at the same moment, unless they share it. None has been
 *   granted while as many shared the key as it has permits.
 * - Tokens exceed those of all earlier grants they conflict with, and none is given twice.
 * - A lease that was not held any more does not come back.
 * - A loss is told once, and never after the release of a lease that was held.
 *
 * With `ended`, the history is over, and every lease must have ended.
 */
export function checkHistory(events: readonly HistoryEvent[], options: { readonly ended?: boolean } = {}): string[] {
  const broken: string[] = [];
  const byOwner = new Map<string, Known>();
  const byKey = new Map<string, Known[]>();
  for (const event of events) {
    const known = byOwner.get(event.owner);
    if (event.type === 'granted') {
      const others = byKey.get(event.key) ?? [];
      if (known !== undefined) broken.push(`${told(event)}: this owner was granted before`);
      for (const problem of conflicts(event, others)) broken.push(`${told(event)}: ${problem}`);
      const entry: Known = { grant: event, state: 'held' };
      byOwner.set(event.owner, entry);
      byKey.set(event.key, [...others, entry]);
    } else if (known === undefined) {
      broken.push(`${told(event)}: it was never granted`);
    } else {
      const problem = follow(known, event);
      if (problem !== undefined) broken.push(`${told(event)}: ${problem}`);
    }
  }
  if (options.ended === true) {
    for (const { grant, state } of byOwner.values()) {
      if (state === 'held' || state === 'over')
        broken.push(`${grant.owner} was granted and never ended: its holder was not told`);
    }
  }
  return broken;
}

/** What the lease that was just granted breaks among the earlier ones of its key. */
function* conflicts(grant: Granted, earlier: readonly Known[]): Iterable<string> {
  const sharers = [grant];
  for (const { grant: other, state } of earlier) {
    const excluded = grant.mode === 'exclusive' || other.mode === 'exclusive';
    if (other.token === grant.token) yield `${other.owner} has the same token`;
    if (excluded && other.token > grant.token) yield `the earlier token of ${other.owner} is higher`;
    if (state !== 'held') continue;
    if (excluded) yield `${other.owner} holds it too`;
    sharers.push(other);
  }
  // By their tokens, as holders may tell of their grants in another order.
  sharers.sort((one, other) => (one.token < other.token ? -1 : 1));
  for (const [before, { permits = Infinity }] of sharers.entries()) {
    if (before >= permits) yield `${before + 1} share ${permits} permits`;
  }
}

/** Notes what happened to a lease; what it should not have done, if anything. */
function follow(known: Known, event: HistoryEvent): string | undefined {
  const { state } = known;
  known.state = next(state, event.type);
  if (state === 'ended' || (state === 'late' && event.type !== 'lost')) return 'it had ended before';
  return event.type === 'held' && state === 'over' ? 'it came back' : undefined;
}

function next(state: Known['state'], type: HistoryEvent['type']): Known['state'] {
  if (type === 'held' || type === 'over') return type;
  return state === 'over' && type === 'released' ? 'late' : 'ended';
}

function told(event: HistoryEvent): string {
  const what =
    event.type === 'granted' ? `granted ${event.mode} on ${event.key} with token ${event.token}` : event.type;
  return `at ${event.at}, ${event.owner} ${what}`;
}
