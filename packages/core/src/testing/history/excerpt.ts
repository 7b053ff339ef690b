import type { HistoryEvent, Violation } from './events.ts';

/** Looks at a lease between its grant and its end are not shown. */
const looks: ReadonlySet<HistoryEvent['type']> = new Set(['held', 'read']);

/**
 * The lines of a history that show a violation: what its calls did, and the faults meanwhile, by
 * time, in ms from the first of them.
 */
export function excerptOf(events: readonly HistoryEvent[], { ids, message }: Violation): string {
  const shown = new Set(ids);
  const own = events.filter((event) => 'id' in event && shown.has(event.id));
  const from = Math.min(...own.map(({ at }) => at));
  const to = Math.max(...own.map(({ at }) => at));
  const lastLooks = new Set([...shown].map((id) => own.findLast((event) => event.type === 'held' && event.id === id)));
  const lines = events.filter((event) =>
    'id' in event
      ? shown.has(event.id) && (!looks.has(event.type) || lastLooks.has(event))
      : event.type === 'fault' && event.from <= to && event.at >= from,
  );
  return [
    message,
    ...lines
      .toSorted((one, other) => startOf(one) - startOf(other))
      .map((event) => `  ${(startOf(event) - from).toFixed(1).padStart(9)}  ${event.process}  ${lineOf(event)}`),
  ].join('\n');
}

function startOf(event: HistoryEvent): number {
  return event.type === 'fault' ? event.from : event.at;
}

function lineOf(event: HistoryEvent): string {
  switch (event.type) {
    case 'call':
      return `${event.id} calls ${event.call.how}("${event.call.key}"), ${event.call.mode}`;
    case 'granted':
      return `${event.id} is granted with token ${event.token}, for ${event.remaining.toFixed(1)} ms`;
    case 'held':
      return `${event.id} is held for ${event.remaining.toFixed(1)} ms`;
    case 'busy':
      return `${event.id} answers null`;
    case 'failed':
      return `${event.id} rejects with ${event.code}: ${event.message}`;
    case 'renewed':
      return `${event.id}: renew settles: ${event.code}`;
    case 'lost':
      return `${event.id} is lost: ${event.code}`;
    case 'release':
      return `${event.id} releases, ${event.remaining.toFixed(1)} ms before its end`;
    case 'released':
      return `${event.id}: release answers ${String(event.answer)}`;
    case 'read':
    case 'written':
    case 'refused':
      return `${event.id} with token ${event.token}: "${event.key}" is ${event.type}, its value is ${event.value}`;
    case 'fault':
      return `fault: ${event.kind}${event.hit === undefined ? ' of the store' : ` of ${event.hit}`}, for ${(event.at - event.from).toFixed(1)} ms`;
    case 'forced':
      return `releases "${event.key}" of ${event.owner} by force`;
    case 'ended':
      return event.killed ? 'is killed' : 'ends';
    case 'healed':
      return 'from now on there are no faults';
    default:
      return event satisfies never;
  }
}
