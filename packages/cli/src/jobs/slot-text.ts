import type { Slot } from '@locks/core';
import { InvalidArgumentError } from 'commander';
import { readDuration } from '../option-readers.ts';

const forms = 'every:1h, every:24h,at:3h, ever, job:$JOB_NAME, or the time that the schedule names: 2026-11-29T03:00Z';

const daily = 'every:24h,at:3h for each day at 03:00 UTC';
/** What people write for a schedule, and the slot to write instead. */
const words: Readonly<Record<string, string>> = {
  hourly: 'every:1h',
  daily,
  nightly: daily,
  midnight: 'every:24h',
  today: daily,
};

const time = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * The slot that `text` names.
 * @throws `InvalidArgumentError` with advice.
 */
export function slotOf(text: string): Slot {
  if (text === 'ever') return text;
  if (text.startsWith('every:')) return everySlot(text);
  if (text.startsWith('job:')) return slotOfJob(text.slice(4));
  const [, date, hours, fraction, zone] = time.exec(text) ?? [];
  if (date === undefined) throw noSlot(text);
  const clock = hours ?? '00:00';
  if (zone === undefined) refuse(`It has no time zone. Write ${date}T${clock}Z for UTC, or ${date}T${clock}+01:00.`);
  if (fraction !== undefined) {
    refuse(
      `It has milliseconds, so it seems to be the time of the call. Write the time of the schedule: ${date}T${clock}Z.`,
    );
  }
  const slot = new Date(text);
  // February 30 would be a day in March.
  const day = new Date(`${date}T00:00Z`);
  if (Number.isNaN(slot.getTime()) || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) {
    refuse('This time does not exist.');
  }
  return slot;
}

function everySlot(text: string): Slot {
  const [, every = '', at] = /^every:([^,]+)(?:,at:([^,]+))?$/.exec(text) ?? [];
  return {
    every: readDuration(every, ['100ms', '24h']),
    at: at === undefined ? undefined : readDuration(at, ['0', '24h']),
  };
}

/** A CronJob names its Jobs after the minute of the schedule, counted from 1970. */
function slotOfJob(name: string): Slot {
  const [, minutes] = /-(\d{8})$/.exec(name) ?? [];
  if (minutes !== undefined) return new Date(Number(minutes) * 60_000);
  const ends = 'The name of a Job made by a CronJob ends with minutes: job:report-29384820';
  return refuse(`${ends}. For a Job made by hand, write the time: 2026-11-29T03:00Z.`);
}

function noSlot(text: string): InvalidArgumentError {
  const word = words[text.replace(/^@/, '').toLowerCase()];
  if (word !== undefined) return new InvalidArgumentError(`It is not a slot. Write ${word}.`);
  const isCron = text.startsWith('@') || /^\S+(?:\s+\S+){4,6}$/.test(text);
  if (!isCron) return new InvalidArgumentError(`It is not a slot. Write ${forms}.`);
  const why = 'A cron expression is a schedule, and not one round of it';
  return new InvalidArgumentError(`${why}. For "0 3 * * *" in UTC write every:24h,at:3h. Other slots: ${forms}.`);
}

function refuse(advice: string): never {
  throw new InvalidArgumentError(advice);
}
