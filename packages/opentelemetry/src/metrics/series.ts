import type { LockMessage, LossCode, Mode, SlowMessage } from '@locks/core';
import type { Attributes } from '@opentelemetry/api';
import { attribute } from '../attributes.ts';
import type { KeyGroups } from '../key-groups.ts';
import type { Instruments } from './instruments.ts';

const lossCodes: readonly LossCode[] = ['not-held', 'session', 'unanswered', 'suspended', 'not-renewed', 'max-hold'];
const slowReasons: readonly SlowMessage['reason'][] = ['threshold', 'longest hold'];

/** The measurements of one group of keys, with one provider and mode. */
export class Series {
  readonly provider: string;
  readonly mode: Mode;
  readonly attributes: Attributes;
  readonly #bound = new Map<string, Map<string, Attributes>>();

  constructor(provider: string, group: string, mode: Mode) {
    this.provider = provider;
    this.mode = mode;
    this.attributes = { [attribute.provider]: provider, [attribute.group]: group, [attribute.mode]: mode };
  }

  /**
   * Its attributes, plus another one. They are cached: an object per message would cost more than
   * the measurement. `word` is one of few.
   */
  with(name: string, word: string): Attributes {
    let bound = this.#bound.get(name);
    if (bound === undefined) {
      bound = new Map();
      this.#bound.set(name, bound);
    }
    let attributes = bound.get(word);
    if (attributes === undefined) {
      attributes = { ...this.attributes, [name]: word };
      bound.set(word, attributes);
    }
    return attributes;
  }
}

/** The series of all groups, each created on first use. */
export class SeriesTable {
  readonly #instruments: Instruments;
  readonly #groups: KeyGroups;
  readonly #byGroup = new Map<string, Series[]>();

  constructor(instruments: Instruments, groups: KeyGroups) {
    this.#instruments = instruments;
    this.#groups = groups;
  }

  /** The series of the claim that `message` is about. */
  of({ provider, key, mode }: LockMessage): Series {
    return this.get(provider, this.#groups.of(key), mode);
  }

  get(provider: string, group: string, mode: Mode): Series {
    let some = this.#byGroup.get(group);
    if (some === undefined) {
      some = [];
      this.#byGroup.set(group, some);
    }
    // A group has few of them, and a search needs no lookup key.
    const found = some.find((series) => series.provider === provider && series.mode === mode);
    if (found !== undefined) return found;
    const series = new Series(provider, group, mode);
    some.push(series);
    this.#beginAtZero(series);
    return series;
  }

  *all(): Iterable<Series> {
    for (const some of this.#byGroup.values()) yield* some;
  }

  /** Prometheus sees no increase in a counter that begins with its first event. */
  #beginAtZero(series: Series): void {
    for (const code of lossCodes) this.#instruments.lost.add(0, series.with(attribute.lossCode, code));
    for (const reason of slowReasons) this.#instruments.slowWaits.add(0, series.with(attribute.slowReason, reason));
  }
}
