import type { OptionReader } from './option-reader.ts';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

const example = '"30s"';

/** Reads `1500`, `250ms`, `30s`, `5m` or `1h` as ms. `undefined`: not a duration. */
export function parseDuration(text: string): number | undefined {
  if (text === 'Infinity') return Infinity;
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  if (match === null) return undefined;
  // 1.1 m is 66 000 ms. The product of the two floating-point numbers is not.
  return Math.round(Number(match[1]) * (units[match[2] ?? 'ms'] ?? 1) * 1e6) / 1e6;
}

/** As a text that `parseDuration` reads, in quotes: `'90s'`. */
export function durationText(ms: number): string {
  for (const unit of ['h', 'm', 's', 'ms']) {
    const length = units[unit] ?? 1;
    if (ms >= length && ms % length === 0) return `'${ms / length}${unit}'`;
  }
  return String(ms);
}

/** A whole number of ms within bounds. */
export function duration(least: number, most: number): OptionReader<number> {
  return {
    expects: `an integer from ${least} to ${most} (ms)`,
    example,
    accepts: (value): value is number => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
    parse: parseDuration,
  };
}

/** A number of ms that may be `Infinity`. */
export function durationOrForever(least: number): OptionReader<number> {
  return {
    expects: `a number of ms of at least ${least}, or Infinity`,
    example,
    accepts: (value): value is number => typeof value === 'number' && value >= least,
    parse: parseDuration,
  };
}
