import type { LockProvider } from '@locks/core';
import type { RecordOptions } from '@locks/core/adapter';

export const table: string;

export interface PostgresRecordOptions extends RecordOptions {
  readonly url: string;
}

export function create(options: PostgresRecordOptions): LockProvider;
