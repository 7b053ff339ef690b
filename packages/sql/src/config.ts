import type { AdapterConfig } from '@locks/core/adapter';
import type { LockProvider } from '@locks/core';
import type { SqlOptions } from './options.ts';

/** Options in a configuration, beyond those of the provider. */
export interface SqlConfigOptions extends SqlOptions {
  /** Create what is missing of the tables. @default false */
  readonly migrate?: boolean | undefined;
}

export async function fromConfig(_config: AdapterConfig): Promise<LockProvider> {
  throw new Error('not written yet');
}
