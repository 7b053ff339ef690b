import type { Finding } from '@locks/core/adapter';

/** What was found at one store. */
export interface StoreReport {
  /** What it is in a composite. `undefined`: it is the whole store. */
  readonly title: string | undefined;
  readonly findings: readonly Finding[];
  /** See `Diagnosis`. */
  readonly server?: string | undefined;
}
