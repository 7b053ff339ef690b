import { parseDuration } from '@locks/core/adapter';
import { InvalidArgumentError, Option } from 'commander';
import type { RunOptions } from './run/run.ts';

/** An option that is a duration, read as ms. */
export function duration(flags: string, description: string): Option {
  return new Option(flags, description).argParser(readDuration);
}

/** A number alone would be seconds for `timeout`, and ms for the library. */
function readDuration(text: string): number {
  const ms = /^(?:\d.*[a-z]|0|Infinity)$/.test(text) ? parseDuration(text) : undefined;
  if (ms === undefined) throw new InvalidArgumentError('Write a duration with its unit: 500ms, 30s, 5m or 1h.');
  return ms;
}

/** An option that is a whole number within bounds. */
export function number(flags: string, description: string, least: number, most: number): Option {
  return new Option(flags, description).argParser((text) => {
    if (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`Write a whole number from ${least} to ${most}.`);
  });
}

/** An option that is a slot: `every:1h`, `every:24h,at:3h`, or a name. */
export function slot(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text): RunOptions['once'] => {
    if (!text.startsWith('every:')) return text;
    const [, every = '', at] = /^every:([^,]+)(?:,at:([^,]+))?$/.exec(text) ?? [];
    return { every: readDuration(every), at: at === undefined ? undefined : readDuration(at) };
  });
}
