import { LockError } from '@locks/core/adapter';
import type { KeyState } from '@locks/core';
import { readNodeData } from '../../nodes/node-data.ts';
import type { ReadNode } from '../../nodes/nodes.ts';
import { inOrder } from '../contenders.ts';
import { tellHolder, tellWaiters } from '../waiters.ts';
import { looks } from '../recipe.ts';
import type { SemaphoreState } from './judge.ts';
import type { HeldLease } from './leases.ts';

export interface SemaphoreView {
  readonly key: string;
  read(): Promise<SemaphoreState>;
  /** The node at a path below the key's folder. `undefined`: it has gone. */
  show(path: string): Promise<ReadNode | undefined>;
}

interface ShownLease {
  readonly lease: HeldLease;
  readonly node: ReadNode;
}

/** The holders and waiters. */
export async function inspectSemaphore({ key, read, show }: SemaphoreView): Promise<KeyState> {
  for (let look = 0; look < looks; look += 1) {
    const { locks, leases } = await read();
    const queue = locks.toSorted(inOrder);
    const [first] = queue;
    const [head, ...nodes] = await Promise.all([
      first === undefined ? undefined : show(`locks/${first.name}`),
      ...leases.map(({ name }) => show(`leases/${name}`)),
    ]);
    const shown = leases.flatMap((lease, index) => {
      const node = nodes[index];
      return node === undefined ? [] : [{ lease, node }];
    });
    // A claim that left in the meantime was followed by another.
    if (shown.length < leases.length || (first !== undefined && head === undefined)) continue;
    const early = head === undefined ? undefined : leaseAhead(shown, head);
    const holders = shown.filter((each) => each !== early).map(({ lease, node }) => tellHolder(lease, 'shared', node));
    const alone = first?.mode === 'exclusive' && head !== undefined && readNodeData(head.data) && leases.length === 0;
    const told = await tellWaiters(alone ? queue.slice(1) : queue, ({ name }) => show(`locks/${name}`), 'shared');
    // An exclusive claim has no token until it is admitted, which writes its node.
    return {
      key,
      holders: alone ? [tellHolder(first, 'exclusive', head, head.stat.mzxid === head.stat.czxid)] : holders,
      ...told,
    };
  }
  const message = `ZooKeeper: the semaphore ${JSON.stringify(key)} changes too often to be read.`;
  throw new LockError('LOCK_UNAVAILABLE', message, { key });
}

/**
 * The last lease, if the first in the queue has created it and may not use it yet. Only a client of
 * Curator does so.
 */
function leaseAhead(leases: readonly ShownLease[], { data, stat }: ReadNode): ShownLease | undefined {
  if (readNodeData(data) !== undefined) return undefined;
  const last = leases.reduce<ShownLease | undefined>(
    (found, lease) => (found === undefined || lease.node.stat.czxid > found.node.stat.czxid ? lease : found),
    undefined,
  );
  const same = last?.node.stat.ephemeralOwner === stat.ephemeralOwner && last.node.stat.czxid > stat.czxid;
  return same && leases.length > 1 ? last : undefined;
}
