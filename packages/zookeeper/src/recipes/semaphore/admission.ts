import type { Claim } from '@locks/core';
import { writeNodeData } from '../../nodes/node-data.ts';
import type { Nodes } from '../../nodes/nodes.ts';
import { madeBy } from '../../nodes/own-node.ts';
import { nameOf } from '../../nodes/paths.ts';
import { isDoubtful, refusal } from '../../nodes/refusal.ts';
import type { Tokens } from '../../tokens/tokens.ts';
import { failedStep, multi } from '../../wire/multi.ts';
import { setData } from '../../wire/requests.ts';
import type { LiveClaim } from '../live-claim.ts';
import { looks } from '../recipe.ts';
import type { SemaphoreState } from './judge.ts';
import { isAmongFirst, leaseName, parseLeases } from './leases.ts';
import type { HeldLease } from './leases.ts';
import type { SemaphoreNodes } from './semaphore-nodes.ts';

export interface NewLease {
  /** The data of its node. */
  readonly data: string;
  /** The base in `data`. */
  readonly base?: bigint | undefined;
  /** It is returned if other leases have used up the permits. */
  readonly counted: boolean;
}

/** How the first in the queue becomes a holder: by a lease, or, if exclusive, by staying first. */
export class Admission {
  readonly #nodes: Nodes;
  readonly #tokens: Tokens;
  readonly #semaphores: SemaphoreNodes;

  constructor(nodes: Nodes, tokens: Tokens, semaphores: SemaphoreNodes) {
    this.#nodes = nodes;
    this.#tokens = tokens;
    this.#semaphores = semaphores;
  }

  /** Whether the claim is exclusive and was admitted. It is first in the queue since then. */
  isAdmitted({ node }: LiveClaim, { locks }: SemaphoreState): boolean {
    if (node === undefined || node.order === node.czxid) return false;
    const name = nameOf(node.path);
    return locks.some((place) => place.name === name);
  }

  /**
   * Whether its lease is a hold, by `leases` that were read after its creation. Otherwise the lease
   * is returned.
   */
  async keeps(own: LiveClaim, leases: readonly HeldLease[]): Promise<boolean> {
    const { node, session, claim } = own;
    if (node === undefined) return false;
    const name = nameOf(node.path);
    if (isAmongFirst(leases, name, claim.permits)) return true;
    if (leases.some((lease) => lease.name === name)) await this.#semaphores.remove(session, node.path);
    own.hasNoNode();
    return false;
  }

  /** Turns the claim's turn into a hold. `false`: check again. */
  async admit(own: LiveClaim): Promise<boolean> {
    const { session, node, claim } = own;
    if (node === undefined) return false;
    const base = this.#tokens.cached(session)?.value;
    const data = writeNodeData({ owner: claim.owner, base });
    if (claim.mode === 'shared') {
      return await this.exchange(own, claim, { data, base, counted: claim.permits !== undefined });
    }
    // It was admitted before, and the reply was lost.
    if (node.order !== node.czxid) return true;
    // Its position is older than leases created since. Its token must be higher than theirs.
    own.requestNode();
    const answer = await session.send(setData(node.path, Buffer.from(data)));
    own.requestRefused(isDoubtful(answer));
    if (!answer.ok && answer.error !== 'NO_NODE') throw refusal(answer, node.path);
    if (answer.ok) own.hasNode({ ...node, order: answer.value.mzxid, zxid: answer.value.mzxid, base });
    else own.hasNoNode();
    return answer.ok;
  }

  /**
   * Exchanges its position in the queue for a lease, in one transaction that fails if the position
   * is gone. The leases are counted in the same flight. A client of another library may create one
   * out of turn, after its position has expired. `false`: check again.
   */
  async exchange(own: LiveClaim, claim: Claim, { data, base, counted }: NewLease): Promise<boolean> {
    const { session, node } = own;
    if (node === undefined) return false;
    const leases = `${this.#nodes.ofKey(claim.key)}/leases`;
    const path = `${leases}/${leaseName(claim)}`;
    const remove = { type: 'remove', path: node.path } as const;
    const make = this.#nodes.numbered(path, data);
    for (let look = 0; look < looks; look += 1) {
      // Alternately without and with the folder: a container that never has a child stays for ever.
      const steps = look % 2 === 0 ? [remove, make] : [remove, this.#nodes.container(leases), make];
      own.requestNode();
      const exchanging = session.send(multi(steps));
      const counting = counted ? this.#nodes.children(session, leases) : undefined;
      // Without the reply to the first the second has none.
      counting?.catch(() => {});
      const answer = await exchanging;
      own.requestRefused(isDoubtful(answer));
      if (!answer.ok) throw refusal(answer, path);
      const made = answer.value.results.at(-1);
      if (made?.ok && made.path !== undefined) {
        own.hasNode({ path: made.path, ...madeBy(answer.zxid), base });
        await this.#nodes.renewSequence(session, node.path);
        return counting === undefined || (await this.keeps(own, parseLeases((await counting) ?? [])));
      }
      const { index, error, code } = failedStep(answer.value);
      if (index === 0 && error === 'NO_NODE') {
        // Another client has removed it, or the same request arrived before.
        await this.#semaphores.find(own);
        return false;
      }
      if (error !== 'NO_NODE' && error !== 'NODE_EXISTS') throw refusal({ error, code }, path);
    }
    return false;
  }
}
