import type { LockProvider } from '@locks/core';
import type { Runtime } from '@locks/core/adapter';
import type { CombinedProvider } from '../../combine/combined-provider.ts';
import type { PhaseKeeper } from '../phase-keeper.ts';
import type { End } from '../phase.ts';

/** What all claims of a migration share. */
export interface MigrationHost {
  readonly keeper: PhaseKeeper;
  readonly stores: Readonly<Record<End, LockProvider>>;
  /** Both stores as one. */
  readonly both: CombinedProvider;
  readonly runtime: Runtime;
  forget(claim: { readonly owner: string }): void;
}
