import { isLockError } from '@locks/core/adapter';
import type { Deadline } from '@locks/core/adapter';
import type { Nodes } from '../nodes/nodes.ts';
import type { OwnNode } from '../nodes/own-node.ts';
import type { LiveClaim } from '../recipes/live-claim.ts';
import type { Stat } from '../wire/records.ts';

/**
 * A renewal waits for an answer for at most this share of the session timeout. A lease must not
 * lapse while its session lives on: two ninths of the timeout are left at the latest.
 */
const shareOfTimeout = 9;

/** Asks the servers whether the node of a hold is there. */
export class HoldCheck {
  readonly #nodes: Nodes;
  readonly #deadline: Deadline;
  readonly #timeout: number;

  /** @param timeout Within how many ms a call settles. */
  constructor(nodes: Nodes, deadline: Deadline, timeout: number) {
    this.#nodes = nodes;
    this.#deadline = deadline;
    this.#timeout = timeout;
  }

  /**
   * `unknown`, if that is allowed: the servers do not answer soon. `goneLate` is called when a
   * later answer says that the node is gone.
   */
  async check(
    own: LiveClaim,
    node: OwnNode,
    mayBeUnknown: boolean,
    goneLate: () => Promise<void>,
  ): Promise<'there' | 'gone' | 'unknown'> {
    const { session } = own;
    if (!session.connected && mayBeUnknown) return 'unknown';
    const looking = this.#nodes.existsLatest(session, node.path);
    try {
      const within = Math.min(session.timeout / shareOfTimeout, this.#timeout / 2);
      const stat = await (mayBeUnknown ? this.#deadline.race(looking, 'a renewal', within) : looking);
      return isNode(stat, node) ? 'there' : 'gone';
    } catch (error) {
      if (!mayBeUnknown || !session.alive || !isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
      // The next renewal may get no answer either, so a late one counts.
      looking.then((stat) => (isNode(stat, node) ? undefined : goneLate())).catch(() => {});
      return 'unknown';
    }
  }
}

/**
 * Whether `stat` is that of `node`. Without a queue, another claim's node may have the same path.
 */
function isNode(stat: Stat | undefined, node: OwnNode): boolean {
  return stat?.czxid === node.czxid;
}
