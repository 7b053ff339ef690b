import type { Operation } from '../wire/call.ts';
import { LockError } from '@locks/core/adapter';
import { aclReader } from '../options/readers.ts';
import type { Acl } from '../wire/records.ts';
import { createFlags } from '../wire/requests.ts';

/** One operation of a guarded transaction. The node must have the `version`, if set. */
export type GuardedOperation =
  | {
      readonly type: 'create';
      /** Below the chroot: `/orders/17`. */
      readonly path: string;
      /** @default '' */
      readonly data?: string | Uint8Array;
      /** @default 'persistent' */
      readonly kind?: 'persistent' | 'ephemeral' | 'persistent-sequential' | 'ephemeral-sequential' | 'container';
      /** @default the provider's */
      readonly acl?: readonly Acl[];
    }
  | {
      readonly type: 'setData';
      /** The node must exist. */
      readonly path: string;
      /** Its new data. */
      readonly data: string | Uint8Array;
      /** @default any */
      readonly version?: number;
    }
  | {
      readonly type: 'remove';
      /** The node must exist, without children. */
      readonly path: string;
      /** @default any */
      readonly version?: number;
    }
  | {
      readonly type: 'check';
      /** The node must exist. */
      readonly path: string;
      /** @default any */
      readonly version?: number;
    };

/** The requests for `operations`. Throws `LOCK_INVALID` for a wrong operation. */
export function readOperations(operations: readonly GuardedOperation[], acl: readonly Acl[]): Operation[] {
  if (!Array.isArray(operations)) throw invalid('the operations of a guarded write', 'an array');
  return (operations as readonly GuardedOperation[]).map((operation, index) => read(operation, index, acl));
}

/** Throws `LOCK_INVALID`, naming `what`, unless `path` is a possible path of a node. */
export function checkPath(path: unknown, what: string): void {
  if (typeof path !== 'string' || !path.startsWith('/'))
    throw invalid(`the path of ${what}`, 'a string that begins with "/"');
}

function read(operation: GuardedOperation, index: number, acl: readonly Acl[]): Operation {
  const what = `operation ${index} of a guarded write`;
  checkPath(operation?.path, what);
  const { path } = operation;
  switch (operation.type) {
    case 'create': {
      const { data = '', kind = 'persistent', acl: own = acl } = operation;
      if (!Object.hasOwn(createFlags, kind)) throw invalid(`the kind of ${what}`, Object.keys(createFlags).join(', '));
      if (own !== acl && (typeof own !== 'object' || !aclReader.accepts(own)))
        throw invalid(`the ACL of ${what}`, 'a list of objects with "scheme", "id" and "permissions"');
      return { type: 'create', path, data: bytesOf(data, what), kind, acl: own };
    }
    case 'setData':
      return { type: 'setData', path, data: bytesOf(operation.data, what), ...versionOf(operation, what) };
    case 'remove':
    case 'check':
      return { type: operation.type, path, ...versionOf(operation, what) };
    default:
      operation satisfies never;
      throw invalid(`the type of ${what}`, 'create, setData, remove or check');
  }
}

function bytesOf(data: unknown, what: string): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  if (data instanceof Uint8Array) return Buffer.from(data);
  throw invalid(`the data of ${what}`, 'a string or a Uint8Array');
}

function versionOf({ version }: { readonly version?: number }, what: string): { readonly version?: number } {
  if (version === undefined) return {};
  if ((version | 0) === version && version >= -1) return { version };
  throw invalid(`the version of ${what}`, 'an integer of -1 to 2147483647');
}

function invalid(what: string, expected: string): LockError {
  return new LockError('LOCK_INVALID', `ZooKeeper: ${what} must be ${expected}.`);
}
