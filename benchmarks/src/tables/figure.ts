const none = '-';

/** `value` with `digits` decimal places and separated thousands. */
export function figure(value: number | undefined, digits = 0): string {
  if (value === undefined || Number.isNaN(value)) return none;
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: value >= 10_000,
  });
}

/** `median [low–high]`. */
export function ratio(median: number | undefined, low: number | undefined, high: number | undefined): string {
  return median === undefined ? none : `${figure(median, 2)} [${figure(low, 2)}–${figure(high, 2)}]`;
}
