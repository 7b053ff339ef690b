import type { FolderCleanup } from '../../nodes/folder-cleanup.ts';
import { baseIn, writeNodeData } from '../../nodes/node-data.ts';
import type { Nodes } from '../../nodes/nodes.ts';
import { madeBy } from '../../nodes/own-node.ts';
import type { OwnNode } from '../../nodes/own-node.ts';
import { folderOf, nameOf } from '../../nodes/paths.ts';
import type { Session } from '../../session/session.ts';
import { contenderName, parseContenders, placesOf, uuidOf } from '../contenders.ts';
import { createEntrance } from '../entrance.ts';
import type { Enter } from '../entrance.ts';
import type { LiveClaim } from '../live-claim.ts';
import type { SemaphoreState } from './judge.ts';
import { parseLeases } from './leases.ts';

/** The state of a semaphore, and the node of one claim in it. */
interface Found {
  readonly state: SemaphoreState;
  readonly node: OwnNode | undefined;
}

/** The semaphores at the servers: for each key a queue in `locks`, and `leases`. */
export class SemaphoreNodes {
  readonly #nodes: Nodes;
  readonly #folders: FolderCleanup;
  readonly #enterFolder: Enter;

  constructor(nodes: Nodes, folders: FolderCleanup) {
    this.#nodes = nodes;
    this.#enterFolder = createEntrance(nodes, folders);
    this.#folders = folders;
  }

  /** The state with the node of the claim. `undefined`: it has none yet, check again. */
  async look(own: LiveClaim): Promise<SemaphoreState | undefined> {
    if (own.uncertain) return await this.find(own);
    if (own.node === undefined) return await this.#enter(own);
    return await this.read(own.session, this.#nodes.ofKey(own.claim.key));
  }

  async read(session: Session, folder: string): Promise<SemaphoreState> {
    // In this order, in one flight: the first in the queue then knows all leases.
    const lists = ['locks', 'leases'].map((below) => this.#nodes.children(session, `${folder}/${below}`));
    const [locks, leases] = await Promise.all(lists);
    return { locks: parseContenders(locks ?? []), leases: parseLeases(leases ?? []) };
  }

  /** As `read`, including all that was committed before. */
  latest(session: Session, folder: string): Promise<SemaphoreState> {
    return this.#nodes.latest(session, folder, () => this.read(session, folder));
  }

  /** Removes a node of a claim, and its folder if that is empty and its numbers should restart. */
  async remove(session: Session, path: string): Promise<boolean> {
    const removing = this.#nodes.remove(session, path);
    const [removed] = await Promise.all([removing, this.#nodes.renewSequence(session, path)]);
    this.#folders.left(folderOf(folderOf(path)));
    return removed;
  }

  /**
   * Finds out the result of a request whose reply was lost. Afterwards the node exists, or never
   * will. Resolves to the state with the node, `undefined` without one.
   */
  async find(own: LiveClaim): Promise<SemaphoreState | undefined> {
    const folder = this.#nodes.ofKey(own.claim.key);
    const latest = await this.latest(own.session, folder);
    own.doubtNode();
    const { state, node } = await this.#single(own, { state: latest, node: undefined });
    if (node === undefined) {
      own.hasNoNode();
      return undefined;
    }
    own.hasNode(node);
    return state;
  }

  /** Takes a position in the queue, and reads the state in the same flight. */
  async #enter(own: LiveClaim): Promise<SemaphoreState | undefined> {
    const { session, claim } = own;
    const folder = this.#nodes.ofKey(claim.key);
    const path = `${folder}/locks/${contenderName('mutex', claim)}`;
    // It contains no base: the token is not that of the position.
    const place = { path, data: writeNodeData({ owner: claim.owner }), base: undefined };
    const containers = [folder, `${folder}/locks`] as const;
    const made = await this.#enterFolder(own, { ...place, containers }, () => this.read(session, folder));
    if (made?.reading === undefined) return undefined;
    return (await this.#single(own, { state: await made.reading, node: own.node })).state;
  }

  /**
   * The state with one node of the claim in this session: `node`, or else its lease rather than its
   * position in the queue. Duplicates are removed: a request arrived twice.
   */
  async #single({ session, claim }: LiveClaim, { state, node }: Found): Promise<Found> {
    const folder = this.#nodes.ofKey(claim.key);
    const uuid = uuidOf(claim.owner);
    const held = state.leases.filter((lease) => lease.uuid === uuid).map(({ name }) => `leases/${name}`);
    const found = [...held, ...placesOf(state.locks, uuid).map(({ name }) => `locks/${name}`)];
    const gone = new Set<string>();
    let kept = node;
    for (const path of found.map((name) => `${folder}/${name}`)) {
      if (path === kept?.path) continue;
      const read = await this.#nodes.read(session, path);
      if (read !== undefined && read.stat.ephemeralOwner !== session.id) continue;
      if (read !== undefined && kept === undefined) {
        kept = { path, ...madeBy(read.stat.mzxid), czxid: read.stat.czxid, base: baseIn(read.data) };
        continue;
      }
      if (read !== undefined) await this.#nodes.remove(session, path);
      gone.add(nameOf(path));
    }
    const locks = state.locks.filter(({ name }) => !gone.has(name));
    const leases = state.leases.filter(({ name }) => !gone.has(name));
    return { state: { locks, leases }, node: kept };
  }
}
