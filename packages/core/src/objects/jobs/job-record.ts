import { LockError } from '../../errors/lock-error.ts';
import type { JobState } from '../../job-run.ts';
import { longestText } from '../../options/register.ts';

/** What the store keeps of a job: its last run, as data. Times are ms since 1970. */
export interface JobRecord {
  /** The scheduled time. 0: the slot `'ever'`. */
  readonly slot: number;
  readonly state: JobState;
  /** The unique part of the owner of its lock. */
  readonly run: string;
  readonly by: string;
  readonly began: number;
  readonly ended?: number | undefined;
  /** How many runs this slot has had. */
  readonly tries: number;
  /** How many runs in a row did not succeed. */
  readonly failures: number;
  /** The slot of the last success. */
  readonly lastDone?: number | undefined;
  /** When the next run is due. */
  readonly next?: number | undefined;
  readonly exitCode?: number | undefined;
  readonly error?: string | undefined;
}

/** How many characters of `by` are kept, which leaves at least 40 for the error. */
const longestBy = 50;

const letters: Readonly<Record<JobState, string>> = {
  running: 'r',
  done: 'd',
  failed: 'f',
  crashed: 'c',
  stopped: 's',
  lost: 'l',
  open: 'o',
};
const states = new Map(Object.entries(letters).map(([state, letter]) => [letter, state as JobState]));

/** The text of a register: version 1, and twelve fields. */
export function recordText(record: JobRecord): string {
  const { slot, state, run, began, ended, tries, exitCode, next, lastDone, failures } = record;
  const head = ['1', slot, letters[state], run, began, ended, tries, exitCode, next, lastDone, failures];
  const by = encoded(record.by, longestBy);
  const text = `${head.map((field) => field ?? '').join(';')};${by};`;
  return text + encoded(record.error ?? '', longestText - text.length);
}

/** Throws `LOCK_MISCONFIGURED` for a text that this version cannot read. */
export function parseRecord(key: string, text: string): JobRecord {
  const [version, slot, letter, run, began, ended, tries, code, next, lastDone, failures, by, error] = text.split(';');
  const state = states.get(letter ?? '');
  if (version !== '1' || state === undefined || run === undefined || error === undefined) {
    const message = `The record of job ${JSON.stringify(key)} was written by a newer version of @locks/core. Update this process.`;
    throw new LockError('LOCK_MISCONFIGURED', message, { key });
  }
  return {
    slot: Number(slot),
    state,
    run,
    by: decodeURIComponent(by ?? ''),
    began: Number(began),
    ended: numberOf(ended),
    tries: Number(tries),
    failures: Number(failures),
    lastDone: numberOf(lastDone),
    next: numberOf(next),
    exitCode: numberOf(code),
    error: error === '' ? undefined : decodeURIComponent(error),
  };
}

function numberOf(field: string | undefined): number | undefined {
  return field === undefined || field === '' ? undefined : Number(field);
}

/** As characters of a register without `;`, at most `most`. */
export function encoded(text: string, most: number): string {
  const whole = encodeURIComponent(text.toWellFormed());
  if (whole.length <= most) return whole;
  // A character of several bytes is kept whole or dropped.
  let cut = '';
  for (const character of text.toWellFormed()) {
    const next = encodeURIComponent(character);
    if (cut.length + next.length > most) break;
    cut += next;
  }
  return cut;
}
