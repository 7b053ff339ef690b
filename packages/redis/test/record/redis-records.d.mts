import type { LockProvider } from '@locks/core';
import type { RecordOptions } from '@locks/core/adapter';

export interface RedisRecordOptions extends RecordOptions {
  readonly url: string;
  /** Of the keys in Redis. */
  readonly prefix: string;
}

export function create(options: RedisRecordOptions): LockProvider;
