import type { LockProvider } from '@locks/core';
import type { RecordOptions } from '@locks/core/adapter';

export function create(options: RecordOptions & { readonly url: string }): LockProvider;
