import { LockError, checkFenceable, staleError } from '@locks/core/adapter';
import type { Lease } from '@locks/core';
import { checkPath, readOperations } from './operations.ts';
import type { GuardedOperation } from './operations.ts';
import type { ZookeeperProvider } from '../provider.ts';
import { refusal } from '../nodes/nodes.ts';
import type { Session } from '../session/session.ts';
import { multi } from '../wire/multi.ts';
import type { MultiOutcome, Operation } from '../wire/multi.ts';
import { getData } from '../wire/requests.ts';

/** One of the caller's operations was refused by ZooKeeper, and so none of them took effect. */
export class GuardedOperationError extends Error {
  override readonly name = 'GuardedOperationError';
  /** Which of the operations, from 0. */
  readonly index: number;
  /** What ZooKeeper says: `NO_NODE`, `NODE_EXISTS`, `BAD_VERSION`, `NOT_EMPTY`, `NO_AUTH`, … */
  readonly error: string;

  constructor(index: number, error: string, path: string) {
    super(`ZooKeeper refused operation ${index}, on ${JSON.stringify(path)}: ${error}. None of them took effect.`);
    this.index = index;
    this.error = error;
  }
}

/** Writes to ZooKeeper that a holder makes who came too late are refused. */
export interface ZookeeperGuard {
  /**
   * All `operations` in one transaction, which fails unless the node of the lease is still there: so they take effect while it holds, or
   * not at all. The lease must be of the provider of this guard, and have a line (`fair`).
   * @throws `LOCK_STALE` when it has ended; `GuardedOperationError` for an operation of the caller's that ZooKeeper refuses; `LOCK_INVALID`
   * for a lease that is not exclusive, and for operations that are none or are too long; `LOCK_UNAVAILABLE` when the answer is unknown: then they may have taken effect.
   */
  commit(
    lease: Pick<Lease, 'key' | 'owner' | 'token' | 'mode'>,
    operations: readonly GuardedOperation[],
  ): Promise<void>;
  /**
   * The same for a lease of any provider: the transaction keeps the highest token in the node at `fence`, which is made if there is none
   * (not its parent), and fails if a later holder has been there. Whatever is protected needs one such node of its own.
   * @throws As `commit`.
   */
  fencedCommit(
    fence: string,
    lease: Pick<Lease, 'token' | 'mode'>,
    operations: readonly GuardedOperation[],
  ): Promise<void>;
}

/** A guard that writes in the session of `provider`. Paths are those of the ensemble: the chroot is part of them. */
export function createZookeeperGuard(provider: ZookeeperProvider): ZookeeperGuard {
  return {
    async commit(lease, operations) {
      checkFenceable(lease.key, lease);
      if (!provider.traits.fair) throw needsLine(lease.key);
      const own = readOperations(operations, provider.acl);
      await provider.inSession(
        async (session) => {
          const path = provider.nodeOf(lease.owner, session);
          if (path === undefined) throw ended(lease);
          const outcome = await transact(session, [{ type: 'check', path }, ...own]);
          const [check] = outcome.results;
          if (check?.ok === false && check.error === 'NO_NODE') throw ended(lease);
          checkOutcome(outcome, own);
        },
        'a guarded write',
        lease.key,
      );
    },
    async fencedCommit(fence, lease, operations) {
      checkPath(fence, 'a fence');
      checkFenceable(fence, lease);
      const own = readOperations(operations, provider.acl);
      await provider.inSession(
        async (session) => {
          for (let round = 0; round < rounds; round += 1) {
            const step = await fenceStep(session, fence, lease.token, provider.acl);
            const outcome = await transact(session, [step, ...own]);
            const [fenced] = outcome.results;
            if (fenced?.ok === false && fenced.error === 'NO_NODE' && step.type === 'create') throw noParent(fence);
            // Another holder was faster: what it has left is read again.
            if (fenced?.ok === false && meanwhile.has(fenced.error)) continue;
            checkOutcome(outcome, own);
            return;
          }
          throw new LockError('LOCK_UNAVAILABLE', `ZooKeeper: ${fence} changes too often for a guarded write.`);
        },
        'a guarded write',
        fence,
      );
    },
  };
}

/** As many as other writers may be faster in. */
const rounds = 20;

const meanwhile: ReadonlySet<string> = new Set(['BAD_VERSION', 'NODE_EXISTS', 'NO_NODE']);

/** What keeps those out who come with a lower token, and what others must not have changed meanwhile. */
async function fenceStep(
  session: Session,
  path: string,
  token: bigint,
  acl: ZookeeperProvider['acl'],
): Promise<Operation> {
  const data = Buffer.from(`${token}`);
  const answer = await session.send(getData(path));
  if (!answer.ok) {
    if (answer.error !== 'NO_NODE') throw refusal(answer, path);
    return { type: 'create', path, data, acl, kind: 'persistent' };
  }
  const text = answer.value.data.toString('latin1');
  if (!/^\d{1,30}$/.test(text)) {
    throw new LockError('LOCK_INVALID', `The node ${path} cannot be a fence: it has data that are no token.`);
  }
  const { version } = answer.value.stat;
  const seen = BigInt(text);
  if (seen > token) throw staleError(path, token, seen);
  return seen === token ? { type: 'check', path, version } : { type: 'setData', path, data, version };
}

async function transact(session: Session, operations: readonly Operation[]): Promise<MultiOutcome> {
  const answer = await session.send(multi(operations)).catch((error: unknown) => {
    // It was not sent.
    if (error instanceof RangeError) throw new LockError('LOCK_INVALID', `A guarded write: ${error.message}.`);
    throw error;
  });
  if (!answer.ok) throw refusal(answer, operations[0]?.path ?? '');
  return answer.value;
}

/** The first result is the guard's own. */
function checkOutcome({ committed, results }: MultiOutcome, own: readonly Operation[]): void {
  if (committed) return;
  const failed = results.findIndex((result) => !result.ok && result.error !== 'UNDONE' && result.error !== 'NOT_TRIED');
  const result = results[failed];
  const error = result?.ok === false ? result.error : 'OTHER';
  if (failed < 1) throw new LockError('LOCK_MISCONFIGURED', `ZooKeeper refused the check of a guard: ${error}.`);
  throw new GuardedOperationError(failed - 1, error, own[failed - 1]?.path ?? '');
}

function ended({ key, token }: Pick<Lease, 'key' | 'token'>): LockError {
  const message = `The lease of ${JSON.stringify(key)} with the fencing token ${token} has ended, or is not of this provider: nothing was written.`;
  return new LockError('LOCK_STALE', message, { key });
}

function needsLine(key: string): LockError {
  const message = `With fair: false all holders of ${JSON.stringify(key)} have the same node, which says nothing about whose it is: use fencedCommit.`;
  return new LockError('LOCK_INVALID', message, { key });
}

function noParent(fence: string): LockError {
  return new LockError('LOCK_INVALID', `The fence ${fence} cannot be made: make the node above it first.`);
}
