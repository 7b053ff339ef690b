import { LockError, checkFenceable, misconfigured } from '@locks/core/adapter';
import type { Lease } from '@locks/core';
import { writeFenced } from './fence.ts';
import { checkPath, readOperations } from './operations.ts';
import type { GuardedOperation } from './operations.ts';
import { checkOutcome, transact } from './transaction.ts';
import type { ZookeeperProvider } from '../zookeeper-provider.ts';
import type { Session } from '../session/session.ts';
import type { Acl } from '../wire/records.ts';

/** Refuses late writes of former holders to ZooKeeper. */
export interface ZookeeperGuard {
  /**
   * Executes `operations` in one transaction, which fails unless the node of the lease still
   * exists. The lease must be of this guard's provider.
   * @throws `LOCK_STALE` when the lease has ended. `GuardedOperationError` for an operation that
   * ZooKeeper refuses. `LOCK_INVALID` for a lease that is not exclusive, and for wrong or too long
   * operations. `LOCK_UNAVAILABLE` when the answer is unknown: they may have taken effect.
   */
  write(operations: readonly GuardedOperation[], lease: Pick<Lease, 'key' | 'owner' | 'token' | 'mode'>): Promise<void>;
  /**
   * As `write`, for a lease of any provider. The transaction keeps the highest token in the node at
   * `fence`, and fails if a later holder has written. It creates a missing node, but not its
   * parent. Each protected resource needs its own fence.
   * @throws As `write`.
   */
  writeFenced(
    fence: string,
    operations: readonly GuardedOperation[],
    lease: Pick<Lease, 'token' | 'mode'>,
  ): Promise<void>;
  /**
   * The node of the lease, for a transaction of another client: `transaction().check(path)` before
   * its writes. The node exists as long as the lease holds, so `NO_NODE` means that the lease has
   * ended. Do not check a version: the node may be rewritten. The path is complete, with the
   * chroot.
   * @throws As `write`, synchronously. After `LOCK_STALE` nothing must be written.
   */
  check(lease: Pick<Lease, 'key' | 'owner' | 'token' | 'mode'>): { readonly path: string };
}

/**
 * A guard that writes in the session of `provider`. Paths are complete, with the chroot.
 * @throws `LOCK_MISCONFIGURED` for a provider of another backend.
 */
export function createZookeeperGuard(provider: ZookeeperProvider): ZookeeperGuard {
  const access = accessOf(provider);
  return {
    async write(operations, lease) {
      checkFenceable(lease.key, lease);
      const own = readOperations(operations, access.acl);
      await access.inSession(
        async (session) => {
          const node = access.nodeOf(lease.owner);
          if (node?.session !== session) throw ended(lease);
          const outcome = await transact(session, [{ type: 'check', path: node.path }, ...own]);
          const [check] = outcome.results;
          if (check?.ok === false && check.error === 'NO_NODE') throw ended(lease);
          checkOutcome(outcome, own);
        },
        'a guarded write',
        lease.key,
      );
    },
    async writeFenced(fence, operations, lease) {
      checkPath(fence, 'a fence');
      checkFenceable(fence, lease);
      const own = readOperations(operations, access.acl);
      const { acl } = access;
      const write = { path: fence, token: lease.token, acl };
      await access.inSession((session) => writeFenced(session, write, own), 'a guarded write', fence);
    },
    check(lease) {
      checkFenceable(lease.key, lease);
      const node = access.nodeOf(lease.owner);
      if (node === undefined) throw ended(lease);
      return { path: node.path };
    },
  };
}

function ended({ key, token }: Pick<Lease, 'key' | 'token'>): LockError {
  const message = `The lease of ${JSON.stringify(key)} with the fencing token ${token} has ended, or is not of this provider: nothing was written.`;
  return new LockError('LOCK_STALE', message, { key });
}

interface ProviderAccess {
  /** For created nodes. */
  readonly acl: readonly Acl[];
  /** The result of `work` in the session, within the timeout of the provider. */
  inSession<T>(work: (session: Session) => Promise<T>, what: string, key: string): Promise<T>;
  /** The node that exists as long as `owner` holds. `undefined`: it does not hold. */
  nodeOf(owner: string): { readonly path: string; readonly session: Session } | undefined;
}

/** The access of guards to `provider`. `LOCK_MISCONFIGURED` for a provider of another backend. */
function accessOf(provider: ZookeeperProvider): ProviderAccess {
  const access = provider as Partial<ProviderAccess> & ZookeeperProvider;
  if (typeof access?.inSession === 'function') return access as ProviderAccess & ZookeeperProvider;
  throw misconfigured('createZookeeperGuard', 'it needs a provider of createZookeeperProvider');
}
