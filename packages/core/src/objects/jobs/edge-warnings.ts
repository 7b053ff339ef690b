import { durationText } from '../../options/duration.ts';
import { slotText } from './slot-advice.ts';
import type { FoundSlot } from './slots.ts';

/** Calls closer to the edge of their slot, in ms, may fall into the next one. */
const longestEdge = 2_000;
/** The proposed time is a multiple of the largest suitable one of these, in ms. */
const steps = [60_000, 1_000, 100, 10, 1];

/** Warns once per key of calls that may fall into either of two slots. */
export class EdgeWarnings {
  readonly #given = new Set<string>();

  /** `now`: the time of the call, in ms since 1970. */
  check(key: string, { every, edge }: FoundSlot, now: number): void {
    if (edge >= Math.min(every / 50, longestEdge) || this.#given.has(key)) return;
    this.#given.add(key);
    const step = steps.find((length) => length <= every / 50) ?? 1;
    const at = (Math.round((now % every) / step) * step) % every;
    const what = `A call of once(${JSON.stringify(key)}) was at the edge of its slot of ${durationText(every)}`;
    const effects = 'so some runs may be skipped and others repeated';
    const mend = `Set ${slotText(every, at)}, the time of this call, or pass the scheduled time as a Date`;
    process.emitWarning(`${what}, ${effects}. ${mend}.`, { code: 'LOCKS_ONCE_EDGE' });
  }
}
