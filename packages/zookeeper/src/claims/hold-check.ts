import { isLockError } from '@locks/core/adapter';
import type { Deadline } from '@locks/core/adapter';
import type { Nodes } from '../nodes/nodes.ts';
import type { OwnNode } from '../nodes/own-node.ts';
import type { LiveClaim } from '../recipes/live-claim.ts';

/**
 * A renewal waits for an answer for at most this share of the session timeout. A lease must not
 * lapse while its session lives on: two ninths of the timeout are left at the latest.
 */
const shareOfTimeout = 9;

export interface HoldCheckParts {
  readonly nodes: Nodes;
  readonly deadline: Deadline;
  /** Within how many ms a call settles. */
  readonly timeout: number;
}

/**
 * Asks the servers whether the `node` of a hold is there. `unknown`, if that is allowed: the servers
 * do not answer soon. `goneLate` is called when a later answer says that the node is gone.
 */
export async function checkHold(
  { nodes, deadline, timeout }: HoldCheckParts,
  { session }: LiveClaim,
  node: OwnNode,
  mayBeUnknown: boolean,
  goneLate: () => Promise<void>,
): Promise<'there' | 'gone' | 'unknown'> {
  if (!session.connected && mayBeUnknown) return 'unknown';
  // Without a queue, another claim's node may have the same path.
  const looking = nodes.existsLatest(session, node.path).then((stat) => stat?.czxid === node.czxid);
  try {
    const within = Math.min(session.timeout / shareOfTimeout, timeout / 2);
    return (await (mayBeUnknown ? deadline.race(looking, 'a renewal', within) : looking)) ? 'there' : 'gone';
  } catch (error) {
    if (!mayBeUnknown || !session.alive || !isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
    // The next renewal may get no answer either, so a late one counts.
    looking.then((there) => (there ? undefined : goneLate())).catch(() => {});
    return 'unknown';
  }
}
