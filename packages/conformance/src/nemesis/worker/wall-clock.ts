let off = 0;

/** Steps the wall clock by `by` ms, for all code of this process. */
export function stepClock(by: number): void {
  if (off === 0) replaceDate();
  off += by;
}

function replaceDate(): void {
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...given: readonly unknown[]) {
      super(...((given.length === 0 ? [Real.now() + off] : given) as [number]));
    }

    static override now(): number {
      return Real.now() + off;
    }
  } as DateConstructor;
}
