/** A bar chart: groups along the horizontal axis, one bar for each series. */
export interface Chart {
  /** By which the site names it. */
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
