import type { Duration, Locks } from '@locks/core';
import { duration, misconfigured, readOptions, settledWithin, systemRuntime, withMethods } from '@locks/core/adapter';
import type { OptionReader, OptionReaders, OptionSource } from '@locks/core/adapter';
import type { Meter, ObservableResult } from '@opentelemetry/api';
import { attribute } from '../attributes.ts';

/** Queries the store for the length of some queues, at each collection of the metrics. */
export interface QueueLengthOptions {
  /** Its `inspect` is called, once for each key. */
  readonly locks: Pick<Locks, 'name' | 'inspect'>;
  /** From 1 to 100. Each is a series of the metric. */
  readonly keys: readonly string[];
  /**
   * A collection waits this long. Keys without an answer by then are left out. From 1 ms to 60 s.
   * @default '1s'
   */
  readonly timeout?: Duration;
}

/** More keys would make a collection expensive for the store. */
const mostKeys = 100;

const keyList: OptionReader<readonly string[]> = {
  expects: `an array of 1 to ${mostKeys} keys`,
  accepts: (value): value is readonly string[] =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= mostKeys &&
    value.every((key) => typeof key === 'string' && key !== ''),
  parse: () => undefined,
};

const readers: OptionReaders<QueueLengthOptions> = {
  locks: withMethods('a client of createLocks or openLocks', 'inspect'),
  keys: keyList,
  timeout: duration(1, 60_000),
};

const source: OptionSource = { where: 'instrumentLocks, option "queueLength"', code: 'LOCK_MISCONFIGURED', text: true };

/** `QueueLengthOptions`, parsed. */
export interface QueueLength extends Pick<QueueLengthOptions, 'locks' | 'keys'> {
  /** In ms. */
  readonly timeout: number;
}

/**
 * Checks `options`.
 * @throws `LOCK_MISCONFIGURED` with the option, its value and what it must be.
 */
export function readQueueLengthOptions(options: QueueLengthOptions): QueueLength {
  const { locks, keys, timeout = 1_000 } = readOptions(readers, options, source);
  if (locks === undefined || keys === undefined) {
    throw misconfigured(source.where, 'it needs "locks" and "keys": { locks, keys: ["report"] }');
  }
  return { locks, keys, timeout };
}

/** Observes the queues of `keys`, until the returned function is called. */
export function observeQueueLength(meter: Meter, { locks, keys, timeout }: QueueLength): () => void {
  const asked = [...new Set(keys)].map((key) => ({
    key,
    attributes: { [attribute.provider]: locks.name, [attribute.key]: key },
  }));
  const gauge = meter.createObservableGauge('locks.queue.length', {
    unit: '{claim}',
    description: 'Claims of all processes that wait for a key, as the store reports them.',
  });
  /** Keys with an unanswered inspection: collections must not pile up. */
  const open = new Set<string>();

  const observe = async (result: ObservableResult): Promise<void> => {
    let late = false;
    const inspect = async ({ key, attributes }: (typeof asked)[number]): Promise<void> => {
      if (open.has(key)) return;
      open.add(key);
      try {
        const { waiters } = await locks.inspect(key);
        if (!late) result.observe(waiters, attributes);
      } catch {
        // A gap in the series shows that the store did not answer.
      } finally {
        open.delete(key);
      }
    };
    await settledWithin(systemRuntime, timeout, Promise.all(asked.map((each) => inspect(each))));
    late = true;
  };
  gauge.addCallback(observe);
  return () => gauge.removeCallback(observe);
}
