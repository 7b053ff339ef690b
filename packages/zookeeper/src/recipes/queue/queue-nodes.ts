import { LockError } from '@locks/core/adapter';
import type { Claim, Holder, KeyState } from '@locks/core';
import { baseIn } from '../../nodes/node-data.ts';
import type { Nodes } from '../../nodes/nodes.ts';
import { madeBy } from '../../nodes/own-node.ts';
import { nameOf } from '../../nodes/paths.ts';
import type { Session } from '../../session/session.ts';
import { holdersOf } from '../algorithm.ts';
import { parseContenders, placesOf, uuidOf } from '../contenders.ts';
import type { Contender } from '../contenders.ts';
import { hasLocks, locksIn } from '../locks-in.ts';
import { tellHolder, tellWaiters } from '../waiters.ts';
import type { LiveClaim } from '../live-claim.ts';
import { looks } from '../recipe.ts';

/** The queues at the servers: one folder per key, with the contenders in it. */
export class QueueNodes {
  readonly #nodes: Nodes;
  readonly #sharedMarkers: readonly string[];

  constructor(nodes: Nodes, sharedMarkers: readonly string[]) {
    this.#nodes = nodes;
    this.#sharedMarkers = sharedMarkers;
  }

  /** All contenders, in no order. */
  async read(session: Session, folder: string): Promise<Contender[]> {
    return parseContenders((await this.#nodes.children(session, folder)) ?? [], this.#sharedMarkers);
  }

  /** Removes the node of a claim of another session. `true`: it held. */
  async evict(session: Session, claim: Claim): Promise<boolean> {
    const folder = this.#nodes.ofKey(claim.key);
    const queue = await this.#latest(session, folder);
    const [place] = [...placesOf(queue, uuidOf(claim.owner)), ...queue.filter(({ name }) => name === claim.owner)];
    if (place === undefined) return false;
    const held = holdersOf(queue).holders.includes(place);
    return (await this.#nodes.remove(session, `${folder}/${place.name}`)) && held;
  }

  /** The holders and waiters of `key`. */
  async inspect(session: Session, key: string): Promise<KeyState> {
    const folder = this.#nodes.ofKey(key);
    for (let look = 0; look < looks; look += 1) {
      const queue = await locksIn(this.#nodes, session, folder, await this.#latest(session, folder));
      const { holders, waiters } = holdersOf(queue);
      const [told, ...shown] = await Promise.all([
        tellWaiters(waiters, ({ name }) => this.#nodes.read(session, `${folder}/${name}`)),
        ...holders.map((place) => this.#show(session, folder, place)),
      ]);
      // A holder that left in the meantime was followed by another.
      const there = shown.filter((holder) => holder !== undefined);
      if (there.length === shown.length) return { key, holders: there, ...told };
    }
    const message = `ZooKeeper: the queue of ${JSON.stringify(key)} changes too often to be read.`;
    throw new LockError('LOCK_UNAVAILABLE', message, { key });
  }

  /** Whether a contender is in the queue, for each of these folders. */
  async used(session: Session, names: readonly string[]): Promise<readonly boolean[]> {
    const read = (children: readonly string[]): Contender[] => parseContenders(children, this.#sharedMarkers);
    return await Promise.all(names.map((name) => hasLocks(this.#nodes, session, this.#nodes.under(name), read)));
  }

  /**
   * Finds out the result of a request whose reply was lost. Afterwards the node is in the queue, or
   * will never be. Resolves to the queue with the node, `undefined` without one.
   */
  async find(own: LiveClaim): Promise<readonly Contender[] | undefined> {
    const { session } = own;
    const { key, owner } = own.claim;
    const folder = this.#nodes.ofKey(key);
    const queue = await this.#latest(session, folder);
    own.doubtNode();
    for (const { name, mode } of placesOf(queue, uuidOf(owner))) {
      const path = `${folder}/${name}`;
      const read = await this.#nodes.read(session, path);
      if (read === undefined || read.stat.ephemeralOwner !== session.id) continue;
      own.converted({ ...own.claim, mode });
      own.hasNode({ path, ...madeBy(read.stat.czxid), zxid: read.stat.mzxid, base: baseIn(read.data) });
      return await this.single(own, queue);
    }
    own.hasNoNode();
    return undefined;
  }

  /**
   * The queue without duplicate nodes of the same claim in this session, which are removed: a
   * request arrived twice.
   */
  async single({ node, session, claim }: LiveClaim, queue: readonly Contender[]): Promise<readonly Contender[]> {
    const uuid = uuidOf(claim.owner);
    const name = nameOf(node?.path ?? '');
    const others = queue.filter((contender) => contender.uuid === uuid && contender.name !== name);
    if (others.length === 0) return queue;
    const folder = this.#nodes.ofKey(claim.key);
    const gone = new Set<Contender>();
    for (const other of others) {
      const path = `${folder}/${other.name}`;
      const stat = await this.#nodes.exists(session, path);
      if (stat !== undefined && stat.ephemeralOwner !== session.id) continue;
      await this.#nodes.remove(session, path);
      gone.add(other);
    }
    return queue.filter((contender) => !gone.has(contender));
  }

  #latest(session: Session, folder: string): Promise<Contender[]> {
    return this.#nodes.latest(session, folder, () => this.read(session, folder));
  }

  async #show(session: Session, folder: string, place: Contender): Promise<Holder | undefined> {
    const read = await this.#nodes.read(session, `${folder}/${place.name}`);
    return read && tellHolder(place, place.mode, read);
  }
}
