/** A bar chart: groups along the horizontal axis, one bar for each series. */
export interface Chart {
  /** Its name on the site. */
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  /** Logarithmic, for bars of very different heights. @default false */
  readonly log?: boolean;
  /** A horizontal reference line. */
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
