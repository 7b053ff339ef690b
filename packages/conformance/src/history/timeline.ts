import { excerptOf, holdOf, readClaims } from '@locks/core/testing';
import type { Claim, HistoryEvent, Violation } from '@locks/core/testing';
import { pageOf } from './timeline-page.ts';
import type { Bar } from './timeline-page.ts';

/** What is shown before the first and after the last call of a violation, in ms. */
const margin = 500;
/** A page with more calls would be slow, so it shows only those around the violations. */
const mostCalls = 5_000;

/**
 * A self-contained HTML page: a lane for each process, with its waits and holds, the faults, and
 * the violations found by `checkHistory`. It follows the light or dark scheme of the reader. Keys:
 * `+`, `-` and `0` zoom, arrows scroll, `n` and `p` go to the next and the previous violation.
 */
export function timelineOf(events: readonly HistoryEvent[], violations: readonly Violation[]): string {
  const claims = readClaims(events);
  const [from, to] = shownPart(events, claims, violations);
  const wrong = new Set(violations.flatMap(({ ids }) => ids));
  const lanes = new Map<string, { readonly bars: Bar[]; readonly ends: number[] }>();
  const laneOf = (name: string) => {
    const lane = lanes.get(name) ?? { bars: [], ends: [] };
    lanes.set(name, lane);
    return lane;
  };
  for (const claim of claims) {
    const parts = [...partsOf(claim, to)];
    const end = Math.max(...parts.map(({ until }) => until));
    if (end < from || claim.calledAt > to) continue;
    const { bars, ends } = laneOf(claim.process);
    const free = ends.findIndex((at) => at <= claim.calledAt);
    const row = free === -1 ? ends.length : free;
    ends[row] = end;
    for (const { kind, until, start, title } of parts) {
      const times = { from: start - from, to: until - from };
      bars.push({ ...times, kind, key: claim.call.key, title, wrong: wrong.has(claim.id), row });
    }
  }
  for (const event of events) {
    if (event.type !== 'fault' || event.at < from || event.from > to) continue;
    const title = `${event.kind}, ${(event.at - event.from).toFixed(1)} ms`;
    const times = { from: event.from - from, to: event.at - from };
    laneOf(event.hit ?? 'store').bars.push({ ...times, kind: 'fault', key: '', title, wrong: false, row: 0 });
  }
  return pageOf({
    length: Math.max(1, to - from),
    lanes: [...lanes]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, { bars, ends }]) => ({ name, bars, rows: Math.max(1, ends.length) })),
    violations: violations.map((violation) => ({ at: violation.at - from, excerpt: excerptOf(events, violation) })),
  });
}

/** The part that is shown: all of it, or where the violations are. */
function shownPart(
  events: readonly HistoryEvent[],
  claims: readonly Claim[],
  violations: readonly Violation[],
): readonly [from: number, to: number] {
  const shown = new Set(violations.flatMap(({ ids }) => ids));
  const some = claims.length > mostCalls && violations.length > 0;
  const times = events
    .filter((event) => !some || ('id' in event && shown.has(event.id)))
    .flatMap((event) => (event.type === 'fault' ? [event.from, event.at] : [event.at]));
  const [first, last] = times.reduce(
    ([least, most], at) => [Math.min(least, at), Math.max(most, at)],
    [Infinity, -Infinity],
  );
  if (first === Infinity) return [0, 1];
  return some ? [first - margin, last + margin] : [first, last];
}

interface Part {
  readonly kind: 'wait' | 'hold';
  readonly start: number;
  readonly until: number;
  readonly title: string;
}

function* partsOf(claim: Claim, end: number): Iterable<Part> {
  const { id, call, calledAt, grantedAt, endedAt, failure, token } = claim;
  const answeredAt = grantedAt ?? endedAt ?? end;
  const outcome = failure === undefined ? (grantedAt === undefined ? 'no lease' : 'granted') : failure.code;
  const what = `${id}: ${call.how}("${call.key}"), ${call.mode}`;
  yield {
    kind: 'wait',
    start: calledAt,
    until: answeredAt,
    title: `${what}: ${outcome} after ${(answeredAt - calledAt).toFixed(1)} ms`,
  };
  const hold = holdOf(claim);
  if (hold === undefined) return;
  const lost = claim.lostCode === undefined ? '' : `, then ${claim.lostCode}`;
  const title = `${what}: token ${token}, held for ${(hold.until - hold.from).toFixed(1)} ms${lost}`;
  yield { kind: 'hold', start: hold.from, until: hold.until, title };
}
