/** A bar chart: groups along the horizontal axis, one bar for each series. */
export interface Chart {
  /** Of the file, without extension. */
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  /** Logarithmic, where some are many times as high as others. @default false */
  readonly log?: boolean;
  /** A horizontal line to compare with. */
  readonly line?: number;
  readonly groups: readonly Group[];
}

export interface Group {
  readonly label: string;
  readonly bars: readonly Bar[];
}

export interface Bar {
  readonly series: string;
  readonly value: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

/** The vertical axis: what its ticks are, and where a value is, from 0 at the bottom to 1 at the top. */
export interface Scale {
  readonly ticks: readonly number[];
  at(value: number): number;
}

/** Covers `values`: from 0, or by powers of ten. */
export function scaleFor(values: readonly number[], log: boolean): Scale {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  const top = Math.max(...positive, Number.MIN_VALUE);
  if (!log) {
    const step = niceStep(top / 5);
    const count = Math.max(1, Math.ceil(top / step));
    const ticks = Array.from({ length: count + 1 }, (_, index) => index * step);
    return { ticks, at: (value) => Math.min(1, Math.max(0, value / (count * step))) };
  }
  const low = Math.floor(Math.log10(Math.min(...positive, top)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(top)));
  const ticks = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
  return {
    ticks,
    at: (value) => Math.min(1, Math.max(0, (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low))),
  };
}

/** 1, 2 or 5 times a power of ten, at least `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power;
}
