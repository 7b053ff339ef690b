import type { Runtime } from '@locks/core/adapter';

/** The µs since 1970, by the wall clock at the start of this process: a clock that is set later does not move it. */
export function epoch({ clock }: Runtime): number {
  return Math.floor((clock.origin + clock.now()) * 1_000);
}
