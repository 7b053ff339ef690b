import type { Counter, Histogram, Meter, Observable } from '@opentelemetry/api';

/** In seconds: from one Redis command to the wait of a batch job. */
const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** In seconds: up to the default timeout of a provider. */
const answers = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Renewals begin at a third of the validity, so two thirds are left after a quick answer. */
const margins = [0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6];

/** The metrics of calls and leases. */
export interface Instruments {
  readonly acquireDuration: Histogram;
  readonly holdDuration: Histogram;
  readonly renewalDuration: Histogram;
  readonly renewalMargin: Histogram;
  readonly lost: Counter;
  readonly slowWaits: Counter;
  readonly held: Observable;
  readonly waiting: Observable;
  readonly oldestHold: Observable;
}

/**
 * Creates the instruments. Held and waiting are counted here and observed, which costs a lock
 * nothing more.
 */
export function createInstruments(meter: Meter): Instruments {
  const histogram = (name: string, unit: string, description: string, explicitBucketBoundaries: number[]): Histogram =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries } });
  const share = 'The share of the ttl that a lease had left when its renewal was answered.';
  const lost = "Leases that ended against their holder's will.";
  const slow = 'Claims with a long wait, by how it was noticed.';
  const oldest = 'The age of the oldest lease that this process holds, or 0.';
  return {
    acquireDuration: histogram('locks.acquire.duration', 's', 'From the call for a lock to its answer.', durations),
    holdDuration: histogram('locks.hold.duration', 's', 'From the grant of a lease to its end.', durations),
    renewalDuration: histogram('locks.renewal.duration', 's', 'From a renewal to its answer.', answers),
    renewalMargin: histogram('locks.renewal.margin', '1', share, margins),
    lost: meter.createCounter('locks.lost', { unit: '{lease}', description: lost }),
    slowWaits: meter.createCounter('locks.slow_waits', { unit: '{claim}', description: slow }),
    held: meter.createObservableUpDownCounter('locks.held', {
      unit: '{lease}',
      description: 'Leases that this process holds.',
    }),
    waiting: meter.createObservableUpDownCounter('locks.waiting', {
      unit: '{claim}',
      description: 'Claims of this process that wait.',
    }),
    oldestHold: meter.createObservableGauge('locks.hold.oldest', { unit: 's', description: oldest }),
  };
}
