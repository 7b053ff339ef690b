import { upgradeRefused } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { FolderCleanup } from '../../nodes/folder-cleanup.ts';
import { writeNodeData } from '../../nodes/node-data.ts';
import type { Nodes } from '../../nodes/nodes.ts';
import { folderOf, nameOf } from '../../nodes/paths.ts';
import type { Session } from '../../session/session.ts';
import type { Tokens } from '../../tokens/tokens.ts';
import { attemptInQueue } from '../algorithm.ts';
import { parseContenders, uuidOf } from '../contenders.ts';
import type { LiveClaim } from '../live-claim.ts';
import { hasLocks, locksIn } from '../locks-in.ts';
import type { QueueSteps, Recipe, Verdict } from '../recipe.ts';
import { Admission } from './admission.ts';
import { inspectSemaphore } from './inspect.ts';
import { judgeEntry } from './judge.ts';
import { parseLeases } from './leases.ts';
import { SemaphoreNodes } from './semaphore-nodes.ts';

/**
 * Curator's InterProcessSemaphoreV2: a queue in `locks`, whose first creates a lease in `leases`.
 */
export function createSemaphoreRecipe(nodes: Nodes, tokens: Tokens, folders: FolderCleanup): Recipe {
  const semaphores = new SemaphoreNodes(nodes, folders);
  const admission = new Admission(nodes, tokens, semaphores);
  const steps: QueueSteps = { find: (own) => semaphores.find(own), convert, look, leave, gone };

  async function leave(own: LiveClaim): Promise<boolean> {
    own.unwatch();
    if (own.uncertain) await semaphores.find(own);
    const { node, session } = own;
    if (node === undefined) {
      gone(own);
      return false;
    }
    const removed = await semaphores.remove(session, node.path);
    own.hasNoNode();
    return removed;
  }

  function gone(own: LiveClaim): void {
    folders.left(nodes.ofKey(own.claim.key));
  }

  async function look(own: LiveClaim): Promise<Verdict | undefined> {
    const state = await semaphores.look(own);
    if (state === undefined || own.node === undefined) return undefined;
    if (admission.isAdmitted(own, state)) return { state: 'holds' };
    if (isLease(own.node.path)) return holdsIf(await admission.keeps(own, state.leases));
    const entry = judgeEntry(state, nameOf(own.node.path), own.claim);
    if (entry.state === 'enters') return holdsIf(await admission.admit(own));
    if (entry.state !== 'waits') return entry;
    const folder = nodes.ofKey(own.claim.key);
    return { ...entry, watch: entry.watch.map((path) => `${folder}/${path}`) };
  }

  async function evictNode(session: Session, claim: Claim): Promise<boolean> {
    const folder = nodes.ofKey(claim.key);
    const { locks, leases } = await semaphores.latest(session, folder);
    const uuid = uuidOf(claim.owner);
    const lease = leases.find((held) => held.uuid === uuid || held.name === claim.owner);
    if (lease !== undefined) return await nodes.remove(session, `${folder}/leases/${lease.name}`);
    const place = locks.find((contender) => contender.uuid === uuid || contender.name === claim.owner);
    if (place === undefined) return false;
    const held = place.mode === 'exclusive' && judgeEntry({ locks, leases }, place.name, place).state === 'enters';
    return (await nodes.remove(session, `${folder}/locks/${place.name}`)) && held;
  }

  /**
   * Replaces a held exclusive claim by a shared one, in one transaction, so no other claim
   * intervenes.
   */
  async function convert(own: LiveClaim, claim: Claim): Promise<void> {
    if (own.token === undefined) {
      await leave(own);
      return;
    }
    if (claim.mode === 'exclusive') throw upgradeRefused(claim);
    const data = writeNodeData({ owner: claim.owner, token: own.token });
    // An earlier request whose reply was lost may have done it.
    while (own.node !== undefined && !isLease(own.node.path)) {
      await admission.exchange(own, claim, { data, counted: false });
    }
    if (own.node === undefined) own.hasNoNode();
    own.converted(claim);
  }

  return {
    attempt: (own, claim) => attemptInQueue(nodes, steps, own, claim),
    leave,
    gone,
    async evict(session, claim) {
      const held = await evictNode(session, claim);
      folders.left(nodes.ofKey(claim.key));
      return held;
    },
    async inspect(session, key) {
      const folder = nodes.ofKey(key);
      return await inspectSemaphore({
        key,
        read: async () => {
          const { locks, leases } = await semaphores.latest(session, folder);
          return {
            locks: await locksIn(nodes, session, `${folder}/locks`, locks),
            leases: await locksIn(nodes, session, `${folder}/leases`, leases),
          };
        },
        show: (path) => nodes.read(session, `${folder}/${path}`),
      });
    },
    async used(session, names) {
      const both = names.map((name) => [
        hasLocks(nodes, session, nodes.under(`${name}/locks`), parseContenders),
        hasLocks(nodes, session, nodes.under(`${name}/leases`), parseLeases),
      ]);
      return await Promise.all(both.map(async (found) => (await Promise.all(found)).includes(true)));
    },
  };
}

/** Whether the node of a claim is a lease, or its position in the queue. */
function isLease(path: string): boolean {
  return folderOf(path).endsWith('/leases');
}

/** `undefined`: check again. */
function holdsIf(holds: boolean): Verdict | undefined {
  return holds ? { state: 'holds' } : undefined;
}
