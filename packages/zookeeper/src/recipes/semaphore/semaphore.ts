import { permitsRefused, upgradeRefused } from '@locks/core/adapter';
import type { Claim, KeyState } from '@locks/core';
import { uuidOf } from '../contenders.ts';
import { sequenceExhausted } from '../exhausted.ts';
import type { LiveClaim } from '../live-claim.ts';
import type { MadeFolders } from '../../nodes/folder-cleanup.ts';
import { writeNodeData } from '../../nodes/node-data.ts';
import type { Nodes } from '../../nodes/nodes.ts';
import { nameOf } from '../../nodes/paths.ts';
import { looks } from '../recipe.ts';
import type { Recipe, Standing } from '../recipe.ts';
import type { Session } from '../../session/session.ts';
import type { Tokens } from '../../tokens/tokens.ts';
import { asBefore, waitAt, waitingFor, watchFor } from '../waiting.ts';
import { judgeEntry } from './judge.ts';
import { inspectSemaphore } from './inspect.ts';
import { SemaphoreNodes, isLease } from './semaphore-nodes.ts';

/** The layout of Curator's InterProcessSemaphoreV2: a line in `locks`, whose first one makes itself a lease in `leases`. */
export class SemaphoreRecipe implements Recipe {
  readonly fair = true;
  readonly shared = true;
  readonly #nodes: Nodes;
  readonly #semaphores: SemaphoreNodes;
  readonly #folders: MadeFolders;

  constructor(nodes: Nodes, tokens: Tokens, folders: MadeFolders) {
    this.#nodes = nodes;
    this.#folders = folders;
    this.#semaphores = new SemaphoreNodes(nodes, tokens, folders);
  }

  async attempt(own: LiveClaim, claim: Claim): Promise<Standing> {
    if (own.uncertain) await this.#semaphores.find(own);
    if (own.node !== undefined && own.claim.mode !== claim.mode) await this.#convert(own, claim);
    if (own.node === undefined) own.claim = claim;
    const before = await asBefore(this.#nodes, own);
    if (before !== undefined) return before;
    for (let look = 0; look < looks; look += 1) {
      const state = await this.#semaphores.look(own);
      if (state === undefined || own.node === undefined) continue;
      if (this.#semaphores.isAdmitted(own, state)) return { holds: true };
      if (isLease(own.node.path)) {
        if (await this.#semaphores.keeps(own, state.leases)) return { holds: true };
        continue;
      }
      const entry = judgeEntry(state, nameOf(own.node.path), own.claim);
      switch (entry.state) {
        case 'enters':
          if (await this.#semaphores.admit(own)) return { holds: true };
          break;
        case 'missing':
          // Somebody has removed it.
          this.gone(own);
          own.node = undefined;
          own.token = undefined;
          break;
        case 'refused':
          await this.leave(own);
          throw permitsRefused(claim, entry.inUse);
        case 'exhausted':
          await this.leave(own);
          throw sequenceExhausted(claim.key, `${this.#nodes.ofKey(claim.key)}/locks`, entry.sequence);
        case 'waits': {
          if (own.wake === undefined) {
            await this.leave(own);
            return waitingFor(waitAt(1));
          }
          const folder = this.#nodes.ofKey(claim.key);
          const paths = entry.watch.map((path) => `${folder}/${path}`);
          const waiting = await watchFor(own, paths, entry.place);
          if (waiting !== undefined) return waiting;
          break;
        }
        default:
          entry satisfies never;
      }
    }
    // Others come and go faster than it can look.
    if (own.wake === undefined) await this.leave(own);
    return waitingFor(1);
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
    own.node = undefined;
    own.token = undefined;
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
      read: () => this.#semaphores.latest(session, folder),
      show: (path) => this.#nodes.read(session, `${folder}/${path}`),
    });
  }

  async used(session: Session, names: readonly string[]): Promise<readonly boolean[]> {
    const folders = names.map((name) => ['locks', 'leases'].map((below) => this.#nodes.under(`${name}/${below}`)));
    const stats = folders.map((paths) => Promise.all(paths.map((path) => this.#nodes.exists(session, path))));
    return (await Promise.all(stats)).map((found) => found.some((stat) => stat !== undefined && stat.numChildren > 0));
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

  /** A held exclusive claim becomes a shared one, in one transaction: nobody gets in between. */
  async #convert(own: LiveClaim, claim: Claim): Promise<void> {
    if (own.token === undefined) {
      await this.leave(own);
      return;
    }
    if (claim.mode === 'exclusive') throw upgradeRefused(claim);
    const data = writeNodeData({ owner: claim.owner, token: own.token });
    // A request whose reply was lost may have done it.
    while (own.node !== undefined && !isLease(own.node.path)) {
      await this.#semaphores.exchange(own, claim, { data, counted: false });
    }
    if (own.node === undefined) own.token = undefined;
    own.claim = claim;
  }
}
