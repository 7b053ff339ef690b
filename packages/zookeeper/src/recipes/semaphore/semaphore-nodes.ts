import type { Claim } from '@locks/core';
import { placesOf } from '../line/judge.ts';
import { contenderName, parseContenders, uuidOf } from '../contenders.ts';
import { madeBy } from '../live-claim.ts';
import type { LiveClaim } from '../live-claim.ts';
import type { MadeFolders } from '../../nodes/folder-cleanup.ts';
import { baseIn, writeNodeData } from '../../nodes/node-data.ts';
import { isDoubtful, refusal } from '../../nodes/nodes.ts';
import type { Nodes } from '../../nodes/nodes.ts';
import { folderOf, nameOf } from '../../nodes/paths.ts';
import { looks } from '../recipe.ts';
import type { Session } from '../../session/session.ts';
import type { Tokens } from '../../tokens/tokens.ts';
import { failedStep, multi } from '../../wire/multi.ts';
import { setData } from '../../wire/requests.ts';
import type { SemaphoreState } from './judge.ts';
import { isAmongFirst, leaseName, parseLeases } from './leases.ts';
import type { HeldLease } from './leases.ts';

/** A lease to be made. */
export interface NewLease {
  /** What its node says. */
  readonly data: string;
  /** The base that `data` names. */
  readonly base?: bigint | undefined;
  /** It is given back if other leases have used up the permits. */
  readonly counted: boolean;
}

/** The nodes of semaphores: of each key a line in `locks`, and `leases`. */
export class SemaphoreNodes {
  readonly #nodes: Nodes;
  readonly #tokens: Tokens;
  readonly #folders: MadeFolders;

  constructor(nodes: Nodes, tokens: Tokens, folders: MadeFolders) {
    this.#nodes = nodes;
    this.#tokens = tokens;
    this.#folders = folders;
  }

  /** The state with its node in it; `undefined`: it has none yet, look again. */
  async look(own: LiveClaim): Promise<SemaphoreState | undefined> {
    if (own.uncertain) return await this.find(own);
    if (own.node === undefined) return await this.#enter(own);
    return await this.read(own.session, this.#nodes.ofKey(own.claim.key));
  }

  async read(session: Session, folder: string): Promise<SemaphoreState> {
    // In this order, and in one flight: whoever is first in line from then on knows all leases.
    const lists = ['locks', 'leases'].map((below) => this.#nodes.children(session, `${folder}/${below}`));
    const [locks, leases] = await Promise.all(lists);
    return { locks: parseContenders(locks ?? []), leases: parseLeases(leases ?? []) };
  }

  /** The same with all that was committed before. */
  latest(session: Session, folder: string): Promise<SemaphoreState> {
    return this.#nodes.latest(session, folder, () => this.read(session, folder));
  }

  /** Removes a node of a claim, and its folder when that is empty and has given out many numbers, which begin anew then. */
  async remove(session: Session, path: string): Promise<boolean> {
    const removing = this.#nodes.remove(session, path);
    const [removed] = await Promise.all([removing, this.#nodes.renewSequence(session, path)]);
    this.#folders.left(folderOf(folderOf(path)));
    return removed;
  }

  /** Whether it is exclusive and has been admitted, and is first in line since. */
  isAdmitted({ node }: LiveClaim, { locks }: SemaphoreState): boolean {
    if (node === undefined || node.order === node.czxid) return false;
    const name = nameOf(node.path);
    return locks.some((place) => place.name === name);
  }

  /** Whether its lease is a hold, by `leases` that were read after it was made. If not, the lease is given back. */
  async keeps(own: LiveClaim, leases: readonly HeldLease[]): Promise<boolean> {
    const { node, session, claim } = own;
    if (node === undefined) return false;
    const name = nameOf(node.path);
    if (isAmongFirst(leases, name, claim.permits)) return true;
    if (leases.some((lease) => lease.name === name)) await this.remove(session, node.path);
    own.node = undefined;
    own.token = undefined;
    return false;
  }

  /** Makes a hold of its turn. `false`: look again. */
  async admit(own: LiveClaim): Promise<boolean> {
    const { session, node, claim } = own;
    if (node === undefined) return false;
    const base = this.#tokens.cached(session)?.value;
    const data = writeNodeData({ owner: claim.owner, base });
    if (claim.mode === 'shared')
      return await this.exchange(own, claim, { data, base, counted: claim.permits !== undefined });
    // It was admitted, and the reply was lost.
    if (node.order !== node.czxid) return true;
    // Its place is older than the leases that were made since: its token must not be.
    own.uncertain = true;
    const answer = await session.send(setData(node.path, Buffer.from(data)));
    own.uncertain = isDoubtful(answer);
    if (!answer.ok && answer.error !== 'NO_NODE') throw refusal(answer, node.path);
    own.node = answer.ok ? { ...node, order: answer.value.mzxid, zxid: answer.value.mzxid, base } : undefined;
    return answer.ok;
  }

  /**
   * Its place in line for a lease, in one transaction that fails if the place has gone. The leases are counted in the same flight:
   * another library's client may make one out of its turn, after its place has expired. `false`: look again.
   */
  async exchange(own: LiveClaim, claim: Claim, { data, base, counted }: NewLease): Promise<boolean> {
    const { session, node } = own;
    if (node === undefined) return false;
    const leases = `${this.#nodes.ofKey(claim.key)}/leases`;
    const path = `${leases}/${leaseName(claim)}`;
    const remove = { type: 'remove', path: node.path } as const;
    const make = this.#nodes.numbered(path, data);
    for (let look = 0; look < looks; look += 1) {
      // A container that never has a child stays for ever.
      const steps = look % 2 === 0 ? [remove, make] : [remove, this.#nodes.container(leases), make];
      own.uncertain = true;
      const exchanging = session.send(multi(steps));
      const counting = counted ? this.#nodes.children(session, leases) : undefined;
      // Without the reply to the first there is none to the second.
      counting?.catch(() => {});
      const answer = await exchanging;
      own.uncertain = isDoubtful(answer);
      if (!answer.ok) throw refusal(answer, path);
      const made = answer.value.results.at(-1);
      if (made?.ok && made.path !== undefined) {
        own.node = { path: made.path, ...madeBy(answer.zxid), base };
        await this.#nodes.renewSequence(session, node.path);
        return counting === undefined || (await this.keeps(own, parseLeases((await counting) ?? [])));
      }
      const { index, error, code } = failedStep(answer.value);
      if (index === 0 && error === 'NO_NODE') {
        // Somebody has removed it, or the same request arrived before.
        await this.find(own);
        return false;
      }
      if (error !== 'NO_NODE' && error !== 'NODE_EXISTS') throw refusal({ error, code }, path);
    }
    return false;
  }

  /** Takes a place in line, and reads the state in the same flight. */
  async #enter(own: LiveClaim): Promise<SemaphoreState | undefined> {
    const { session, claim } = own;
    const folder = this.#nodes.ofKey(own.claim.key);
    this.#folders.entered(folder);
    own.uncertain = true;
    const path = `${folder}/locks/${contenderName('mutex', claim)}`;
    // It names no base: its token is not that of its place.
    const data = writeNodeData({ owner: claim.owner });
    const making = this.#nodes.make(session, path, 'ephemeral-sequential', data);
    const reading = this.read(session, folder);
    // Without the reply to the first there is none to the second.
    reading.catch(() => {});
    const made = await making;
    if (made.ok) {
      own.uncertain = false;
      own.node = { path: made.value.path, ...madeBy(made.value.stat.czxid), base: undefined };
      return await this.#single(own, await reading);
    }
    own.uncertain = made.error === 'NO_NODE' || isDoubtful(made);
    if (made.error !== 'NO_NODE') throw refusal(made, folder);
    const first = await this.#nodes.makeWithin(session, [folder, `${folder}/locks`], path, data);
    own.uncertain = false;
    if (first === undefined) return undefined;
    own.node = { path: first.path, ...madeBy(first.czxid), base: undefined };
    this.#folders.made(folder);
    return undefined;
  }

  /** Finds out what became of a request whose reply was lost: the node is there in this session, or will never be. */
  async find(own: LiveClaim): Promise<SemaphoreState | undefined> {
    const { session } = own;
    const folder = this.#nodes.ofKey(own.claim.key);
    const found = await this.latest(session, folder);
    own.node = undefined;
    const state = await this.#single(own, found);
    own.uncertain = false;
    if (own.node !== undefined) return state;
    own.token = undefined;
    return undefined;
  }

  /** The state with one node of the claim in this session: a lease rather than a place in line. A request may have arrived twice. */
  async #single(own: LiveClaim, { locks, leases }: SemaphoreState): Promise<SemaphoreState> {
    const { session, claim } = own;
    const folder = this.#nodes.ofKey(own.claim.key);
    const uuid = uuidOf(claim.owner);
    const held = leases.filter((lease) => lease.uuid === uuid).map(({ name }) => `leases/${name}`);
    const found = [...held, ...placesOf(locks, uuid).map(({ name }) => `locks/${name}`)];
    const gone = new Set<string>();
    for (const path of found.map((name) => `${folder}/${name}`)) {
      if (path === own.node?.path) continue;
      const read = await this.#nodes.read(session, path);
      if (read !== undefined && read.stat.ephemeralOwner !== session.id) continue;
      if (read !== undefined && own.node === undefined) {
        own.node = { path, ...madeBy(read.stat.mzxid), czxid: read.stat.czxid, base: baseIn(read.data) };
        continue;
      }
      if (read !== undefined) await this.#nodes.remove(session, path);
      gone.add(nameOf(path));
    }
    return {
      locks: locks.filter(({ name }) => !gone.has(name)),
      leases: leases.filter(({ name }) => !gone.has(name)),
    };
  }
}

/** Whether the node of a claim is a lease, or its place in line. */
export function isLease(path: string): boolean {
  return folderOf(path).endsWith('/leases');
}
