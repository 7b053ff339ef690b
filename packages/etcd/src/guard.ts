import { LockError, checkFenceable, misconfigured, staleError } from '@locks/core/adapter';
import type { Lease, LockProvider } from '@locks/core';
import { range, txn } from './wire/calls.ts';
import type { Compare, Operation } from './wire/messages.ts';
import { isAt } from './locks/algorithm.ts';
import type { Parts } from './locks/parts.ts';
import { source } from './options/options.ts';

/**
 * One operation of a guarded transaction. Keys are complete: the provider's prefix is not added.
 */
export type GuardedOperation =
  | {
      readonly type: 'put';
      /** The key to write. */
      readonly key: string | Uint8Array;
      /** Its new value. */
      readonly value: string | Uint8Array;
      /** The id of a lease, in decimal. @default none */
      readonly lease?: string;
    }
  | {
      readonly type: 'delete';
      /** The key to delete, if it exists. */
      readonly key: string | Uint8Array;
    };

/** A comparison for a transaction of another client of etcd. */
export interface LeaseCheck {
  /** The key of the claim. It exists as long as the lease holds. */
  readonly key: string;
  /** The comparison in the JSON of etcd's HTTP gateway, for `compare` of a transaction. */
  readonly compare: {
    /** The key of the claim, as Base64. */
    readonly key: string;
    readonly target: 'CREATE';
    readonly result: 'GREATER';
    readonly create_revision: '0';
  };
}

/** Writes to etcd that are refused once the lease has ended, or a later holder has written. */
export interface EtcdGuard {
  /**
   * Executes `operations` in one transaction, if the lease still holds.
   * @throws `LOCK_STALE` when the lease has ended: nothing was written. `LOCK_INVALID` for a lease
   * that is not exclusive, or a wrong operation. `LOCK_UNAVAILABLE` when the outcome is unknown.
   */
  write(operations: readonly GuardedOperation[], lease: Pick<Lease, 'key' | 'owner' | 'token' | 'mode'>): Promise<void>;
  /**
   * For a lease of any provider: executes `operations` in one transaction, if no lease with a
   * higher token has written to `resource` with this method. Each protected resource needs its own
   * name.
   * @throws As `write`.
   */
  writeFenced(
    resource: string,
    operations: readonly GuardedOperation[],
    lease: Pick<Lease, 'token' | 'mode'>,
  ): Promise<void>;
  /**
   * The comparison for a transaction of another client: that the key of the claim exists. The
   * transaction fails if the lease has ended.
   * @throws `LOCK_INVALID` for a lease that is not exclusive.
   */
  check(lease: Pick<Lease, 'key' | 'owner' | 'token' | 'mode'>): LeaseCheck;
}

/** What a guard needs of its provider. */
export type GuardAccess = Pick<Parts, 'members' | 'keys'>;

/**
 * A guard that writes through the connection of `provider`, which `createEtcdProvider` made.
 * @throws `LOCK_MISCONFIGURED` for a provider of another backend.
 */
export function createEtcdGuard(provider: LockProvider): EtcdGuard {
  const { members, keys } = accessOf(provider);
  return {
    async write(operations, lease) {
      checkFenceable(lease?.key, lease);
      const success = readOperations(operations);
      const compare = [isThere(keys.claim(lease.key, lease.owner))];
      const { succeeded } = await members.call(txn, { compare, success, failure: [] }, 'a guarded write');
      if (!succeeded) throw ended(lease);
    },
    async writeFenced(resource, operations, lease) {
      checkFenceable(resource, lease);
      const own = readOperations(operations);
      const key = keys.fence(resource);
      const fence: Operation = { requestPut: { key, value: Buffer.from(`${lease.token}`) } };
      let [kv] = (await members.call(range, { key }, 'a read of a fence', { repeats: true })).kvs;
      for (;;) {
        const seen = BigInt(kv?.value.toString() ?? 0);
        if (seen > lease.token) throw staleError(resource, lease.token, seen);
        const { succeeded, responses } = await members.call(
          txn,
          {
            compare: [isAt(key, BigInt(kv?.modRevision ?? 0))],
            success: [fence, ...own],
            failure: [{ requestRange: { key } }],
          },
          'a guarded write',
        );
        if (succeeded) return;
        // Another write has raised it. Tokens are bounded, so this loop ends.
        kv = responses[0]?.responseRange?.kvs[0];
      }
    },
    check(lease) {
      checkFenceable(lease?.key, lease);
      const name = keys.claim(lease.key, lease.owner);
      const compare = { target: 'CREATE', result: 'GREATER', create_revision: '0' } as const;
      return { key: name.toString(), compare: { key: name.toString('base64'), ...compare } };
    },
  };
}

function accessOf(provider: LockProvider): GuardAccess {
  const { access } = (provider ?? {}) as { readonly access?: () => GuardAccess };
  if (provider?.name === 'etcd' && typeof access === 'function') return access.call(provider);
  throw misconfigured('createEtcdGuard', 'it needs a provider of createEtcdProvider');
}

function isThere(key: Buffer): Compare {
  return { key, target: 1, result: 1, createRevision: '0' };
}

function readOperations(operations: readonly GuardedOperation[]): Operation[] {
  if (!Array.isArray(operations)) throw invalid('the operations of a guarded write', 'an array');
  return (operations as readonly GuardedOperation[]).map((operation, index) => {
    const what = `operation ${index} of a guarded write`;
    const key = bytesOf(operation?.key, `the key of ${what}`);
    if (key.length === 0) throw invalid(`the key of ${what}`, 'not empty');
    if (operation.type === 'delete') return { requestDeleteRange: { key } };
    if (operation.type !== 'put') throw invalid(`the type of ${what}`, '"put" or "delete"');
    const { value, lease = '0' } = operation;
    if (!/^\d{1,19}$/.test(lease)) throw invalid(`the lease of ${what}`, 'the decimal id of a lease');
    return { requestPut: { key, value: bytesOf(value, `the value of ${what}`), lease } };
  });
}

function bytesOf(data: unknown, what: string): Buffer {
  if (typeof data === 'string' || data instanceof Uint8Array) return Buffer.from(data as string);
  throw invalid(what, 'a string or a Uint8Array');
}

function ended({ key, token }: Pick<Lease, 'key' | 'token'>): LockError {
  const message = `The lease of ${JSON.stringify(key)} with the fencing token ${token} has ended, or belongs to another store: nothing was written.`;
  return new LockError('LOCK_STALE', message, { key });
}

function invalid(what: string, expected: string): LockError {
  return new LockError('LOCK_INVALID', `${source.where}: ${what} must be ${expected}.`);
}
