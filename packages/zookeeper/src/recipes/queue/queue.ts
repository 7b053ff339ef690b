import { upgradeRefused } from '@locks/core/adapter';
import type { Claim, KeyState } from '@locks/core';
import { FirstNodes } from '../../nodes/first-nodes.ts';
import type { FolderCleanup } from '../../nodes/folder-cleanup.ts';
import { writeNodeData } from '../../nodes/node-data.ts';
import type { Nodes } from '../../nodes/nodes.ts';
import { madeBy } from '../../nodes/own-node.ts';
import { folderOf, nameOf } from '../../nodes/paths.ts';
import { isDoubtful, refusal } from '../../nodes/refusal.ts';
import { numbered } from '../../nodes/sequence.ts';
import type { Session } from '../../session/session.ts';
import type { Tokens } from '../../tokens/tokens.ts';
import { multi } from '../../wire/multi.ts';
import { attemptInQueue, judge } from '../algorithm.ts';
import { contenderName, parseContender } from '../contenders.ts';
import type { Contender, QueueNames } from '../contenders.ts';
import type { LiveClaim } from '../live-claim.ts';
import type { AttemptResult, QueueSteps, Recipe, Verdict } from '../recipe.ts';
import { KnownQueues } from './known-queues.ts';
import { QueueNodes } from './queue-nodes.ts';

/** What queues are made of. */
export interface QueueParts {
  readonly nodes: Nodes;
  readonly tokens: Tokens;
  readonly folders: FolderCleanup;
  readonly names: QueueNames;
  readonly sharedMarkers: readonly string[];
  /** Places may be known without reading the queue. */
  readonly knownPlaces: boolean;
}

/**
 * Curator's recipe: ephemeral sequential nodes in one folder per key. The lowest holds, and each
 * waits for the one before it.
 */
export class QueueRecipe implements Recipe {
  readonly fair = true;
  readonly shared = true;
  readonly #nodes: Nodes;
  readonly #first: FirstNodes;
  readonly #tokens: Tokens;
  readonly #folders: FolderCleanup;
  readonly #names: QueueNames;
  readonly #queues: QueueNodes;
  readonly #known: KnownQueues;
  readonly #steps: QueueSteps;

  constructor({ nodes, tokens, folders, names, sharedMarkers, knownPlaces }: QueueParts) {
    this.#nodes = nodes;
    this.#first = new FirstNodes(nodes);
    this.#tokens = tokens;
    this.#folders = folders;
    this.#names = names;
    this.#queues = new QueueNodes(nodes, sharedMarkers);
    this.#known = new KnownQueues(knownPlaces);
    this.#steps = {
      find: (own) => this.#queues.find(own),
      convert: (own, claim) => this.#convert(own, claim),
      look: (own) => this.#look(own),
      leave: (own) => this.leave(own),
      gone: (own) => this.gone(own),
      holds: (own, { path }) => {
        if (own.claim.mode === 'exclusive') this.#known.holds(own, path);
      },
    };
  }

  attempt(own: LiveClaim, claim: Claim): Promise<AttemptResult> {
    return attemptInQueue(this.#nodes, this.#steps, own, claim);
  }

  async leave(own: LiveClaim): Promise<boolean> {
    own.unwatch();
    if (own.uncertain) await this.#queues.find(own);
    const { node, session } = own;
    if (node === undefined) {
      this.gone(own);
      return false;
    }
    const removing = this.#known.leaves(own, node.path, () => this.#nodes.remove(session, node.path));
    const [removed] = await Promise.all([removing, this.#nodes.renewSequence(session, node.path)]);
    this.#folders.left(folderOf(node.path));
    own.hasNoNode();
    return removed;
  }

  gone(own: LiveClaim): void {
    if (own.node !== undefined) this.#known.lost(own, own.node.path);
    this.#folders.left(this.#nodes.ofKey(own.claim.key));
  }

  async evict(session: Session, claim: Claim): Promise<boolean> {
    const held = await this.#queues.evict(session, claim);
    this.#folders.left(this.#nodes.ofKey(claim.key));
    return held;
  }

  inspect(session: Session, key: string): Promise<KeyState> {
    return this.#queues.inspect(session, key);
  }

  used(session: Session, names: readonly string[]): Promise<readonly boolean[]> {
    return this.#queues.used(session, names);
  }

  /** What its place means. `undefined`: it has none yet, look again. */
  async #look(own: LiveClaim): Promise<Verdict | undefined> {
    if (own.uncertain) return this.#judge(own, await this.#queues.find(own));
    const { node, session, claim } = own;
    if (node === undefined) return await this.#enter(own);
    if (await this.#known.isNext(own, node.path)) {
      return { state: (await this.#nodes.exists(session, node.path)) === undefined ? 'missing' : 'holds' };
    }
    const queue = await this.#queues.read(session, this.#nodes.ofKey(claim.key));
    return this.#judge(own, await this.#queues.single(own, queue));
  }

  #judge({ node, claim }: LiveClaim, queue: readonly Contender[] | undefined): Verdict | undefined {
    if (node === undefined || queue === undefined) return undefined;
    const verdict = judge(queue, nameOf(node.path));
    if (verdict.state !== 'waits') return verdict;
    const folder = this.#nodes.ofKey(claim.key);
    return { ...verdict, watch: verdict.watch.map((name) => `${folder}/${name}`) };
  }

  /**
   * Makes the node, and reads the queue in the same flight, unless its place will be known without.
   */
  async #enter(own: LiveClaim): Promise<Verdict | undefined> {
    const { session, claim } = own;
    const folder = this.#nodes.ofKey(claim.key);
    const base = this.#tokens.cached(session)?.value;
    own.requestNode();
    this.#folders.entered(folder);
    const path = `${folder}/${contenderName(this.#names, claim)}`;
    const data = writeNodeData({ owner: claim.owner, base });
    const making = this.#nodes.make(session, path, 'ephemeral-sequential', data);
    const reading = this.#known.foresees(own, folder) ? undefined : this.#queues.read(session, folder);
    // Without the reply to the first there is none to the second.
    reading?.catch(() => {});
    const made = await making;
    if (made.ok) {
      own.hasNode({ path: made.value.path, ...madeBy(made.value.stat.czxid), base });
      const known = this.#known.entered(own, made.value.path);
      if (reading === undefined && known !== undefined) return known;
      return this.#judge(own, await this.#queues.single(own, await (reading ?? this.#queues.read(session, folder))));
    }
    own.requestRefused(made.error === 'NO_NODE' || isDoubtful(made));
    if (made.error !== 'NO_NODE') throw refusal(made, folder);
    const first = await this.#first.make(session, { containers: [folder], path, data });
    own.requestRefused(false);
    if (first === undefined) return undefined;
    own.hasNode({ path: first.path, ...madeBy(first.czxid), base });
    this.#folders.made(folder);
    this.#known.entered(own, first.path);
    // All other nodes in the folder came later.
    return { state: 'holds' };
  }

  /**
   * Makes a held exclusive claim a shared one with the same number, so no other claim gets between.
   */
  async #convert(own: LiveClaim, claim: Claim): Promise<void> {
    const { session, node, token } = own;
    if (node === undefined) return;
    if (token === undefined) {
      await this.leave(own);
      return;
    }
    if (claim.mode === 'exclusive') throw upgradeRefused(claim);
    const sequence = parseContender(node.path)?.sequence ?? 0;
    const path = `${folderOf(node.path)}/${numbered(contenderName(this.#names, claim), sequence)}`;
    const data = writeNodeData({ owner: claim.owner, token });
    own.requestNode();
    const answer = await session.send(multi([this.#nodes.ephemeral(path, data), { type: 'remove', path: node.path }]));
    if (!answer.ok) throw refusal(answer, path);
    if (answer.value.committed) {
      own.hasNode({ path, ...madeBy(answer.zxid), order: node.order, base: undefined });
    } else {
      // Its node was removed by another client, or by this request, if it arrived twice.
      own.doubtNode();
    }
    own.converted(claim);
  }
}
