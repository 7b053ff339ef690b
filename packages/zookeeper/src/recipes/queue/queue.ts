import { upgradeRefused } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { FolderCleanup } from '../../nodes/folder-cleanup.ts';
import { writeNodeData } from '../../nodes/node-data.ts';
import type { Nodes } from '../../nodes/nodes.ts';
import { madeBy } from '../../nodes/own-node.ts';
import { folderOf, nameOf } from '../../nodes/paths.ts';
import { refusal } from '../../nodes/refusal.ts';
import { numbered } from '../../nodes/sequence.ts';
import type { Tokens } from '../../tokens/tokens.ts';
import { multi } from '../../wire/multi.ts';
import { attemptInQueue, judge } from '../algorithm.ts';
import { contenderName, parseContender } from '../contenders.ts';
import type { Contender, QueueNames } from '../contenders.ts';
import { createEntrance } from '../entrance.ts';
import type { LiveClaim } from '../live-claim.ts';
import type { QueueSteps, Recipe, Verdict } from '../recipe.ts';
import { KnownQueues } from './known-queues.ts';
import { QueueNodes } from './queue-nodes.ts';

export interface QueueParts {
  readonly nodes: Nodes;
  readonly tokens: Tokens;
  readonly folders: FolderCleanup;
  readonly names: QueueNames;
  readonly sharedMarkers: readonly string[];
  /** Positions may be known without reading the queue. */
  readonly knownPlaces: boolean;
}

/**
 * Curator's recipe: ephemeral sequential nodes in one folder per key. The lowest holds, and each
 * waits for the one before it.
 */
export function createQueueRecipe({ nodes, tokens, folders, names, sharedMarkers, knownPlaces }: QueueParts): Recipe {
  const queues = new QueueNodes(nodes, sharedMarkers);
  const known = new KnownQueues(knownPlaces);
  const enterFolder = createEntrance(nodes, folders);
  const steps: QueueSteps = {
    find: (own) => queues.find(own),
    convert,
    look,
    leave,
    gone,
    holds(own, { path }) {
      if (own.claim.mode === 'exclusive') known.holds(own, path);
    },
  };

  async function leave(own: LiveClaim): Promise<boolean> {
    own.unwatch();
    if (own.uncertain) await queues.find(own);
    const { node, session } = own;
    if (node === undefined) {
      gone(own);
      return false;
    }
    const removing = known.leaves(own, node.path, () => nodes.remove(session, node.path));
    const [removed] = await Promise.all([removing, nodes.renewSequence(session, node.path)]);
    folders.left(folderOf(node.path));
    own.hasNoNode();
    return removed;
  }

  function gone(own: LiveClaim): void {
    if (own.node !== undefined) known.lost(own, own.node.path);
    folders.left(nodes.ofKey(own.claim.key));
  }

  /** The meaning of its position. `undefined`: it has none yet, check again. */
  async function look(own: LiveClaim): Promise<Verdict | undefined> {
    if (own.uncertain) return judgeOwn(own, await queues.find(own));
    const { node, session, claim } = own;
    if (node === undefined) return await enter(own);
    if (await known.isNext(own, node.path)) {
      return { state: (await nodes.exists(session, node.path)) === undefined ? 'missing' : 'holds' };
    }
    const queue = await queues.read(session, nodes.ofKey(claim.key));
    return judgeOwn(own, await queues.single(own, queue));
  }

  function judgeOwn({ node, claim }: LiveClaim, queue: readonly Contender[] | undefined): Verdict | undefined {
    if (node === undefined || queue === undefined) return undefined;
    const verdict = judge(queue, nameOf(node.path));
    if (verdict.state !== 'waits') return verdict;
    const folder = nodes.ofKey(claim.key);
    return { ...verdict, watch: verdict.watch.map((name) => `${folder}/${name}`) };
  }

  /**
   * Creates the node. Reads the queue in the same flight, unless its position will be known
   * without.
   */
  async function enter(own: LiveClaim): Promise<Verdict | undefined> {
    const { session, claim } = own;
    const folder = nodes.ofKey(claim.key);
    const base = tokens.cached(session)?.value;
    const path = `${folder}/${contenderName(names, claim)}`;
    const data = writeNodeData({ owner: claim.owner, base });
    const foreseen = known.foresees(own, folder);
    const read = (): Promise<readonly Contender[]> => queues.read(session, folder);
    const made = await enterFolder(own, { containers: [folder], path, data, base }, foreseen ? undefined : read);
    if (own.node === undefined) return undefined;
    const place = known.entered(own, own.node.path);
    if (made !== undefined) {
      if (foreseen && place !== undefined) return place;
      return judgeOwn(own, await queues.single(own, await (made.reading ?? read())));
    }
    // All other nodes in the folder came later.
    return { state: 'holds' };
  }

  /**
   * Replaces a held exclusive claim by a shared one with the same number, so no other claim
   * intervenes.
   */
  async function convert(own: LiveClaim, claim: Claim): Promise<void> {
    const { session, node, token } = own;
    if (node === undefined) return;
    if (token === undefined) {
      await leave(own);
      return;
    }
    if (claim.mode === 'exclusive') throw upgradeRefused(claim);
    const sequence = parseContender(node.path)?.sequence ?? 0;
    const path = `${folderOf(node.path)}/${numbered(contenderName(names, claim), sequence)}`;
    const data = writeNodeData({ owner: claim.owner, token });
    own.requestNode();
    const answer = await session.send(multi([nodes.ephemeral(path, data), { type: 'remove', path: node.path }]));
    if (!answer.ok) throw refusal(answer, path);
    if (answer.value.committed) {
      own.hasNode({ path, ...madeBy(answer.zxid), order: node.order, base: undefined });
    } else {
      // Its node was removed by another client, or by this request, if it arrived twice.
      own.doubtNode();
    }
    own.converted(claim);
  }

  return {
    attempt: (own, claim) => attemptInQueue(nodes, steps, own, claim),
    leave,
    gone,
    async evict(session, claim) {
      const held = await queues.evict(session, claim);
      folders.left(nodes.ofKey(claim.key));
      return held;
    },
    inspect: (session, key) => queues.inspect(session, key),
    used: (session, keys) => queues.used(session, keys),
  };
}
