import { subscribe } from '@locks/core';
import type { LockMessage } from '@locks/core';
import type { BatchObservableResult, Meter } from '@opentelemetry/api';
import { attribute, failureOf, renewalResultOf, seconds } from '../attributes.ts';
import type { HoldResult } from '../attributes.ts';
import type { KeyGroups } from '../key-groups.ts';
import type { KnownGroup } from '../options.ts';
import { createInstruments } from './instruments.ts';
import { SeriesTable } from './series.ts';
import type { Series } from './series.ts';

/** A call for a lock in progress. */
interface Call {
  readonly series: Series;
  waits: boolean;
}

/** A lease of this process. */
interface Hold {
  readonly series: Series;
  /** In ms. */
  readonly ttl: number;
  /** The time of the grant, in ms of `performance`. */
  readonly since: number;
}

/**
 * Records the metrics of all clients of this process, until the returned function is called. Calls
 * and holds are tracked by owner: a loss is reported twice, and what began earlier is not counted.
 */
export function recordMetrics(meter: Meter, groups: KeyGroups, known: readonly KnownGroup[]): () => void {
  const instruments = createInstruments(meter);
  const { acquireDuration, holdDuration, renewalDuration, renewalMargin, held, waiting, oldestHold } = instruments;
  const table = new SeriesTable(instruments, groups);
  for (const { provider, group, mode = 'exclusive' } of known) table.get(provider, group, mode);
  const calls = new Map<string, Call>();
  const holds = new Map<string, Hold>();

  /** Removes and returns the call of `owner`. */
  function endCall(owner: string): Call | undefined {
    const call = calls.get(owner);
    calls.delete(owner);
    return call;
  }

  function endHold({ owner, heldFor }: LockMessage & { readonly heldFor: number }, result: HoldResult) {
    const hold = holds.get(owner);
    if (hold === undefined) return undefined;
    holds.delete(owner);
    holdDuration.record(seconds(heldFor), hold.series.with(attribute.holdResult, result));
    return hold;
  }

  const subscriptions = [
    subscribe('locks:claim', (message) => {
      const { owner, replaces } = message;
      const replaced = replaces === undefined ? undefined : endCall(replaces);
      calls.set(owner, replaced ?? { series: table.of(message), waits: false });
    }),
    subscribe('locks:wait', ({ owner }) => {
      const call = calls.get(owner);
      if (call !== undefined) call.waits = true;
    }),
    subscribe('locks:slow', ({ owner, reason }) => {
      const series = calls.get(owner)?.series;
      if (series !== undefined) instruments.slowWaits.add(1, series.with(attribute.slowReason, reason));
    }),
    subscribe('locks:acquire', (message) => {
      const { owner, ttl, waited } = message;
      const series = endCall(owner)?.series;
      // Without a call it was transferred, or requested before recording began.
      if (series !== undefined) {
        acquireDuration.record(seconds(waited), series.with(attribute.acquireResult, 'acquired'));
      }
      holds.set(owner, { series: series ?? table.of(message), ttl, since: performance.now() });
    }),
    subscribe('locks:giveup', ({ owner, waited, error }) => {
      const series = endCall(owner)?.series;
      if (series === undefined) return;
      const { result, errorType } = failureOf(error);
      const attributes = series.with(attribute.acquireResult, result);
      const all = errorType === undefined ? attributes : { ...attributes, [attribute.errorType]: errorType };
      acquireDuration.record(seconds(waited), all);
    }),
    subscribe('locks:renew', (message) => {
      const hold = holds.get(message.owner);
      if (hold === undefined) return;
      const { series, ttl } = hold;
      renewalDuration.record(seconds(message.took), series.with(attribute.renewalResult, renewalResultOf(message)));
      renewalMargin.record(message.remaining / ttl, series.attributes);
    }),
    subscribe('locks:lost', (message) => {
      const series = endHold(message, 'lost')?.series;
      if (series !== undefined) instruments.lost.add(1, series.with(attribute.lossCode, message.code));
    }),
    subscribe('locks:release', (message) => void endHold(message, 'released')),
    subscribe('locks:transfer', (message) => void endHold(message, 'transferred')),
  ];

  const observed = [held, waiting, oldestHold];
  const observe = (result: BatchObservableResult): void => {
    const now = performance.now();
    const heldNow = countBySeries(holds.values());
    const waitingNow = countBySeries([...calls.values()].filter(({ waits }) => waits));
    const since = new Map<Series, number>();
    // They come in the order of their grants.
    for (const hold of holds.values()) if (!since.has(hold.series)) since.set(hold.series, hold.since);
    for (const series of table.all()) {
      result.observe(held, heldNow.get(series) ?? 0, series.attributes);
      result.observe(waiting, waitingNow.get(series) ?? 0, series.attributes);
      result.observe(oldestHold, seconds(now - (since.get(series) ?? now)), series.attributes);
    }
  };
  meter.addBatchObservableCallback(observe, observed);

  return () => {
    for (const end of subscriptions) end();
    meter.removeBatchObservableCallback(observe, observed);
  };
}

function countBySeries(all: Iterable<{ readonly series: Series }>): ReadonlyMap<Series, number> {
  const counts = new Map<Series, number>();
  for (const { series } of all) counts.set(series, (counts.get(series) ?? 0) + 1);
  return counts;
}
