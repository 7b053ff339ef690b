import { LockError } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import { writeNodeData } from '../nodes/node-data.ts';
import type { Nodes } from '../nodes/nodes.ts';
import type { OwnNode } from '../nodes/own-node.ts';
import { baseName } from '../nodes/paths.ts';
import { refusal } from '../nodes/refusal.ts';
import type { Sender } from '../session/session.ts';
import { multi } from '../wire/multi.ts';
import type { Request } from '../wire/request.ts';
import { getData, setData } from '../wire/requests.ts';
import { mint, raiseFor, raisedData, readBase } from './base.ts';
import type { Base } from './base.ts';

/**
 * How often a step is repeated when other clients are faster. With fewer, a busy root fails
 * earlier.
 */
const rounds = 20;

/** What a session has read of the base node, and whether it has changed since. */
interface Reading {
  readonly session: bigint;
  readonly base: Base;
  changed: boolean;
}

export interface TokenOwner {
  readonly session: Sender;
  readonly claim: Pick<Claim, 'owner' | 'mode'>;
  readonly node: OwnNode | undefined;
  /** The node at `path` was written by the transaction `zxid`. */
  written(path: string, zxid: bigint): void;
}

/**
 * Fencing tokens. A token is the number of the transaction that determined a claim's turn (`order`
 * of its node), plus the base. One node holds the base for the whole root.
 */
export class Tokens {
  readonly #nodes: Nodes;
  readonly #path: string;
  #reading: Reading | undefined = undefined;

  constructor(nodes: Nodes) {
    this.#nodes = nodes;
    this.#path = nodes.under(baseName);
  }

  /** A transaction that goes through the quorum and changes nothing. */
  heartbeat(): Request<unknown> {
    return multi([{ type: 'check', path: this.#path }]);
  }

  /**
   * The present base. A read under a watch that has not fired is as good as one in the same flight:
   * ZooKeeper reports a change before it answers any later request.
   */
  async current(session: Sender): Promise<Base> {
    return this.cached(session) ?? (await this.#read(session));
  }

  /** The base, if known without a request. */
  cached(session: Sender): Base | undefined {
    const reading = this.#reading;
    return reading?.session === session.id && !reading.changed ? reading.base : undefined;
  }

  /** The token of a claim that holds, above `floor`. */
  async mint(own: TokenOwner, floor: bigint | undefined): Promise<bigint> {
    const { session } = own;
    for (let round = 0; round < rounds; round += 1) {
      const { node, claim } = own;
      if (node === undefined) break;
      const base = await this.current(session);
      const minted = mint({ order: node.order, mode: claim.mode, floor }, base, node.zxid);
      switch (minted.state) {
        case 'minted':
          if (node.base !== base.value) await this.#write(own, minted.token);
          return minted.token;
        case 'older':
          // A successful write shows that the node is still in the queue, as a new list would.
          await this.#write(own, base.value + node.order);
          // Older again: the number in the base was garbled, and is read again.
          this.#doubt(session);
          break;
        case 'raise':
          await this.#raise(session, base, minted.to);
          break;
        default:
          minted satisfies never;
      }
    }
    throw this.#contended();
  }

  /** Makes `token` that of `own`, and all later tokens higher. `false`: the claim has no node. */
  async raise(own: TokenOwner, token: bigint): Promise<boolean> {
    const { session } = own;
    for (let round = 0; round < rounds; round += 1) {
      const { node } = own;
      if (node === undefined) return false;
      const base = await this.current(session);
      const to = raiseFor(token, node.order, base);
      if (to === undefined) {
        await this.#write(own, token);
        return true;
      }
      await this.#raise(session, base, to);
    }
    throw this.#contended();
  }

  /** One attempt. Whether it was too late shows when the base is read again. */
  async #raise(session: Sender, base: Base, to: bigint): Promise<void> {
    this.#doubt(session);
    const answer = await session.send(setData(this.#path, raisedData(base, to), base.version));
    this.#doubt(session);
    if (!answer.ok && answer.error !== 'BAD_VERSION' && answer.error !== 'NO_NODE') throw refusal(answer, this.#path);
  }

  /** The base is read again. */
  #doubt(session: Sender): void {
    if (this.#reading?.session === session.id) this.#reading.changed = true;
  }

  /** Writes its token into the node, for `inspect`. */
  async #write(own: TokenOwner, token: bigint): Promise<void> {
    const { node, session, claim } = own;
    if (node === undefined) return;
    const answer = await session.send(setData(node.path, Buffer.from(writeNodeData({ owner: claim.owner, token }))));
    if (!answer.ok) throw refusal(answer, node.path);
    own.written(node.path, answer.value.mzxid);
  }

  async #read(session: Sender): Promise<Base> {
    for (let round = 0; round < rounds; round += 1) {
      let changed = false;
      let reading: Reading | undefined;
      const watching = session.watch(this.#path, () => {
        changed = true;
        if (reading !== undefined) reading.changed = true;
      });
      const [watched, answer] = await Promise.all([watching, session.send(getData(this.#path))]);
      if (answer.ok) {
        const base = readBase(answer.value.data, answer.value.stat, this.#path);
        reading = { session: session.id, base, changed: changed || watched !== 'watching' };
        this.#reading = reading;
        return base;
      }
      if (answer.error !== 'NO_NODE') throw refusal(answer, this.#path);
      await this.#make(session);
    }
    throw this.#contended();
  }

  async #make(session: Sender): Promise<void> {
    // After a removal by another client the remembered base is safer than a new one.
    const known = this.#reading?.base;
    const data = known === undefined ? '' : raisedData(known, known.value).toString();
    let made = await this.#nodes.make(session, this.#path, 'persistent', data);
    if (!made.ok && made.error === 'NO_NODE') {
      await this.#nodes.makeRoot(session);
      made = await this.#nodes.make(session, this.#path, 'persistent', data);
    }
    if (!made.ok && made.error !== 'NODE_EXISTS' && made.error !== 'NO_NODE') throw refusal(made, this.#path);
  }

  #contended(): LockError {
    return new LockError('LOCK_UNAVAILABLE', `ZooKeeper: ${this.#path} changes too often to get a token.`);
  }
}
