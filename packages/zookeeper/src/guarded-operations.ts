import { LockError } from '@locks/core/adapter';
import type { Operation } from './wire/multi.ts';
import type { Acl } from './wire/records.ts';

/** One operation of a guarded transaction. A version is the one that the node must have; without one it may have any. */
export type GuardedOperation =
  | {
      readonly type: 'create';
      readonly path: string;
      /** @default '' */
      readonly data?: string | Uint8Array;
      /** @default 'persistent' */
      readonly kind?: 'persistent' | 'ephemeral' | 'persistent-sequential' | 'ephemeral-sequential' | 'container';
      /** @default the provider's */
      readonly acl?: readonly Acl[];
    }
  | { readonly type: 'setData'; readonly path: string; readonly data: string | Uint8Array; readonly version?: number }
  | { readonly type: 'remove'; readonly path: string; readonly version?: number }
  | { readonly type: 'check'; readonly path: string; readonly version?: number };

/** What is sent for `operations`. Throws `LOCK_INVALID` for what is none. */
export function readOperations(operations: readonly GuardedOperation[], acl: readonly Acl[]): Operation[] {
  return operations.map((operation, index): Operation => {
    if (typeof operation?.path !== 'string' || !operation.path.startsWith('/')) {
      throw invalid(`operation ${index} of a guarded write needs a path that begins with "/"`);
    }
    switch (operation.type) {
      case 'create': {
        const { path, data = '', kind = 'persistent' } = operation;
        return { type: 'create', path, data: bytesOf(data), kind, acl: operation.acl ?? acl };
      }
      case 'setData':
        return { ...operation, data: bytesOf(operation.data) };
      case 'remove':
      case 'check':
        return operation;
      default:
        operation satisfies never;
        throw invalid(`operation ${index} of a guarded write must be of type create, setData, remove or check`);
    }
  });
}

function bytesOf(data: string | Uint8Array): Buffer {
  return typeof data === 'string' ? Buffer.from(data) : Buffer.from(data);
}

function invalid(why: string): LockError {
  return new LockError('LOCK_INVALID', `${why}.`);
}
