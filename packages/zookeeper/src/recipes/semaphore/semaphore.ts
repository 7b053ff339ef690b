import { upgradeRefused } from '@locks/core/adapter';
import type { Claim, KeyState } from '@locks/core';
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
import type { AttemptResult, QueueSteps, Recipe, Verdict } from '../recipe.ts';
import { Admission } from './admission.ts';
import { inspectSemaphore } from './inspect.ts';
import { judgeEntry } from './judge.ts';
import { parseLeases } from './leases.ts';
import { SemaphoreNodes } from './semaphore-nodes.ts';

/**
 * Curator's InterProcessSemaphoreV2: a queue in `locks`, whose first makes itself a lease in
 * `leases`.
 */
export class SemaphoreRecipe implements Recipe {
  readonly fair = true;
  readonly shared = true;
  readonly #nodes: Nodes;
  readonly #semaphores: SemaphoreNodes;
  readonly #admission: Admission;
  readonly #folders: FolderCleanup;
  readonly #steps: QueueSteps;

  constructor(nodes: Nodes, tokens: Tokens, folders: FolderCleanup) {
    this.#nodes = nodes;
    this.#folders = folders;
    this.#semaphores = new SemaphoreNodes(nodes, folders);
    this.#admission = new Admission(nodes, tokens, this.#semaphores);
    this.#steps = {
      find: (own) => this.#semaphores.find(own),
      convert: (own, claim) => this.#convert(own, claim),
      look: (own) => this.#look(own),
      leave: (own) => this.leave(own),
      gone: (own) => this.gone(own),
    };
  }

  attempt(own: LiveClaim, claim: Claim): Promise<AttemptResult> {
    return attemptInQueue(this.#nodes, this.#steps, own, claim);
  }

  async leave(own: LiveClaim): Promise<boolean> {
    own.unwatch();
    if (own.uncertain) await this.#semaphores.find(own);
    const { node, session } = own;
    if (node === undefined) {
      this.gone(own);
      return false;
    }
    const removed = await this.#semaphores.remove(session, node.path);
    own.hasNoNode();
    return removed;
  }

  gone(own: LiveClaim): void {
    this.#folders.left(this.#nodes.ofKey(own.claim.key));
  }

  async evict(session: Session, claim: Claim): Promise<boolean> {
    const held = await this.#evict(session, claim);
    this.#folders.left(this.#nodes.ofKey(claim.key));
    return held;
  }

  async inspect(session: Session, key: string): Promise<KeyState> {
    const folder = this.#nodes.ofKey(key);
    return await inspectSemaphore({
      key,
      read: async () => {
        const { locks, leases } = await this.#semaphores.latest(session, folder);
        return {
          locks: await locksIn(this.#nodes, session, `${folder}/locks`, locks),
          leases: await locksIn(this.#nodes, session, `${folder}/leases`, leases),
        };
      },
      show: (path) => this.#nodes.read(session, `${folder}/${path}`),
    });
  }

  async used(session: Session, names: readonly string[]): Promise<readonly boolean[]> {
    const folders = names.map((name) => [
      hasLocks(this.#nodes, session, this.#nodes.under(`${name}/locks`), parseContenders),
      hasLocks(this.#nodes, session, this.#nodes.under(`${name}/leases`), parseLeases),
    ]);
    return await Promise.all(folders.map(async (found) => (await Promise.all(found)).includes(true)));
  }

  async #look(own: LiveClaim): Promise<Verdict | undefined> {
    const state = await this.#semaphores.look(own);
    if (state === undefined || own.node === undefined) return undefined;
    if (this.#admission.isAdmitted(own, state)) return { state: 'holds' };
    if (isLease(own.node.path)) return holdsIf(await this.#admission.keeps(own, state.leases));
    const entry = judgeEntry(state, nameOf(own.node.path), own.claim);
    if (entry.state === 'enters') return holdsIf(await this.#admission.admit(own));
    if (entry.state !== 'waits') return entry;
    const folder = this.#nodes.ofKey(own.claim.key);
    return { ...entry, watch: entry.watch.map((path) => `${folder}/${path}`) };
  }

  async #evict(session: Session, claim: Claim): Promise<boolean> {
    const folder = this.#nodes.ofKey(claim.key);
    const { locks, leases } = await this.#semaphores.latest(session, folder);
    const uuid = uuidOf(claim.owner);
    const lease = leases.find((held) => held.uuid === uuid || held.name === claim.owner);
    if (lease !== undefined) return await this.#nodes.remove(session, `${folder}/leases/${lease.name}`);
    const place = locks.find((contender) => contender.uuid === uuid || contender.name === claim.owner);
    if (place === undefined) return false;
    const held = place.mode === 'exclusive' && judgeEntry({ locks, leases }, place.name, place).state === 'enters';
    return (await this.#nodes.remove(session, `${folder}/locks/${place.name}`)) && held;
  }

  /**
   * Makes a held exclusive claim a shared one, in one transaction, so no other claim gets between.
   */
  async #convert(own: LiveClaim, claim: Claim): Promise<void> {
    if (own.token === undefined) {
      await this.leave(own);
      return;
    }
    if (claim.mode === 'exclusive') throw upgradeRefused(claim);
    const data = writeNodeData({ owner: claim.owner, token: own.token });
    // An earlier request whose reply was lost may have done it.
    while (own.node !== undefined && !isLease(own.node.path)) {
      await this.#admission.exchange(own, claim, { data, counted: false });
    }
    if (own.node === undefined) own.hasNoNode();
    own.converted(claim);
  }
}

/** Whether the node of a claim is a lease, or its position in the queue. */
function isLease(path: string): boolean {
  return folderOf(path).endsWith('/leases');
}

/** `undefined`: look again. */
function holdsIf(holds: boolean): Verdict | undefined {
  return holds ? { state: 'holds' } : undefined;
}
