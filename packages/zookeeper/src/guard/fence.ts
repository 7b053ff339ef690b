import type { Operation } from '../wire/call.ts';
import { LockError, staleError } from '@locks/core/adapter';
import { refusal } from '../nodes/refusal.ts';
import type { Session } from '../session/session.ts';
import type { Acl } from '../wire/records.ts';
import { getData } from '../wire/requests.ts';
import { checkOutcome, transact } from './transaction.ts';

/**
 * How often a write is repeated when other writers are faster. With fewer, a busy fence fails
 * earlier.
 */
const rounds = 20;

/** How the step of a fence fails when another writer was faster. */
const meanwhile: ReadonlySet<string> = new Set(['BAD_VERSION', 'NODE_EXISTS', 'NO_NODE']);

/** The node that keeps the highest token, and the token of the writing lease. */
export interface Fence {
  readonly path: string;
  readonly token: bigint;
  /** For the node, if it is created. */
  readonly acl: readonly Acl[];
}

/** Writes `own` unless a later holder has written. */
export async function writeFenced(session: Session, fence: Fence, own: readonly Operation[]): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const step = await stepOf(session, fence);
    const outcome = await transact(session, [step, ...own]);
    const [fenced] = outcome.results;
    if (fenced?.ok === false && fenced.error === 'NO_NODE' && step.type === 'create') throw noParent(fence.path);
    // Another holder was faster: the fence is read again.
    if (fenced?.ok === false && meanwhile.has(fenced.error)) continue;
    checkOutcome(outcome, own);
    return;
  }
  throw new LockError('LOCK_UNAVAILABLE', `ZooKeeper: ${fence.path} changes too often for a guarded write.`);
}

/** The operation that raises the fence, and fails if another writer has changed it. */
async function stepOf(session: Session, { path, token, acl }: Fence): Promise<Operation> {
  const data = Buffer.from(`${token}`);
  const answer = await session.send(getData(path));
  if (!answer.ok) {
    if (answer.error !== 'NO_NODE') throw refusal(answer, path);
    return { type: 'create', path, data, acl, kind: 'persistent' };
  }
  const text = answer.value.data.toString('latin1');
  if (!/^\d{1,30}$/.test(text)) {
    throw new LockError('LOCK_INVALID', `The node ${path} cannot be a fence: its data is not a token.`);
  }
  const { version } = answer.value.stat;
  const seen = BigInt(text);
  if (seen > token) throw staleError(path, token, seen);
  return seen === token ? { type: 'check', path, version } : { type: 'setData', path, data, version };
}

function noParent(fence: string): LockError {
  return new LockError('LOCK_INVALID', `The fence ${fence} cannot be created: create its parent node first.`);
}
