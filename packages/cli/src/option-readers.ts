import { parseDuration } from '@locks/core/adapter';
import { InvalidArgumentError, Option } from 'commander';

/** The bounds of a duration, both allowed: `['50ms', '24h']`. */
type Bounds = readonly [least: string, most: string];

/** An option that is a duration, read as whole ms. */
export function duration(flags: string, description: string, bounds: Bounds): Option {
  return new Option(flags, description).argParser((text) => readDuration(text, bounds));
}

/**
 * A duration within `bounds`, in ms.
 * @throws `InvalidArgumentError`, also for a bare number: it would be seconds for `timeout` and ms
 * for the library.
 */
export function readDuration(text: string, [least, most]: Bounds): number {
  const ms = /^(?:\d.*[a-z]|0|Infinity)$/.test(text) ? parseDuration(text) : undefined;
  const [from = 0, to = Infinity] = [parseDuration(least), parseDuration(most)];
  if (ms !== undefined && ms >= from && ms <= to && (Number.isInteger(ms) || ms === Infinity)) return ms;
  const within = most === 'Infinity' ? '' : `, from ${least} to ${most}`;
  throw new InvalidArgumentError(`Write a duration with its unit (500ms, 30s, 5m or 1h)${within}.`);
}

/** An option that is a whole number within bounds. */
export function number(flags: string, description: string, least: number, most: number): Option {
  return new Option(flags, description).argParser((text) => {
    if (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`Write a whole number from ${least} to ${most}.`);
  });
}
