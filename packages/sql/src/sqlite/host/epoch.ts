import type { Runtime } from '@locks/core/adapter';

/**
 * The µs since 1970, by the wall clock at the start of this process: a clock that is set later does
 * not move it.
 */
export function epoch({ clock }: Runtime): number {
  return Math.floor((clock.origin + clock.now()) * 1_000);
}

/** The least token of a new hold: it exceeds `floor`, and is not behind the wall clock. */
export function leastToken(runtime: Runtime, floor: bigint | undefined): number {
  return Math.max(epoch(runtime), Number(floor ?? 0n) + 1);
}
