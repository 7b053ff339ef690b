import { LockError } from '@locks/core/adapter';
import type { LiveClaim } from '../recipes/live-claim.ts';
import { refusal } from '../nodes/nodes.ts';
import type { Nodes } from '../nodes/nodes.ts';
import { writeNodeData } from '../nodes/node-data.ts';
import { mint, raiseFor, raisedData, readBase } from './base.ts';
import type { Base } from './base.ts';
import { baseName } from '../nodes/paths.ts';
import type { Sender } from '../session/session.ts';
import type { Request } from '../wire/request.ts';
import { multi } from '../wire/multi.ts';
import { getData, setData } from '../wire/requests.ts';

/** As many rounds as others may be faster in. */
const rounds = 20;

/** What a session has read of the base node, and whether it still is so. */
interface Reading {
  readonly session: bigint;
  readonly base: Base;
  changed: boolean;
}

/**
 * Fencing tokens: the number of the transaction that gave a claim its turn, plus the base that one node holds for the whole root. Which
 * transaction that is, the claim's node says (`order`).
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
   * The base as it is now. What was read under a watch that has not fired is as good as a read in the same flight: ZooKeeper tells of a
   * change before it answers anything that came after it.
   */
  async current(session: Sender): Promise<Base> {
    return this.cached(session) ?? (await this.#read(session));
  }

  /** The base, if it is known without asking. */
  cached(session: Sender): Base | undefined {
    const reading = this.#reading;
    return reading?.session === session.id && !reading.changed ? reading.base : undefined;
  }

  /** The token of a claim that holds, above `floor`. */
  async mint(own: LiveClaim, floor: bigint | undefined): Promise<bigint> {
    const { session } = own;
    for (let round = 0; round < rounds; round += 1) {
      const { node, claim } = own;
      if (node === undefined) break;
      const base = this.cached(session) ?? (await this.#read(session));
      const minted = mint({ order: node.order, mode: claim.mode, floor }, base, node.zxid);
      switch (minted.state) {
        case 'minted':
          if (node.base !== base.value) await this.#write(own, minted.token);
          return minted.token;
        case 'older':
          // That the node can be written shows that it is still in line, as a new list would.
          await this.#write(own, base.value + node.order);
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

  /** Makes `token` that of `own`, and all later tokens higher. */
  async raise(own: LiveClaim, token: bigint): Promise<void> {
    const { session, node } = own;
    if (node === undefined) return;
    for (let round = 0; round < rounds; round += 1) {
      const base = this.cached(session) ?? (await this.#read(session));
      const to = raiseFor(token, node.order, base);
      if (to === undefined) {
        await this.#write(own, token);
        own.token = token;
        return;
      }
      await this.#raise(session, base, to);
    }
    throw this.#contended();
  }

  /** One attempt; whether it came too late shows when the base is read again. */
  async #raise(session: Sender, base: Base, to: bigint): Promise<void> {
    if (this.#reading?.session === session.id) this.#reading.changed = true;
    const answer = await session.send(setData(this.#path, raisedData(base, to), base.version));
    if (this.#reading?.session === session.id) this.#reading.changed = true;
    if (!answer.ok && answer.error !== 'BAD_VERSION' && answer.error !== 'NO_NODE') throw refusal(answer, this.#path);
  }

  /** Makes the node say its token, for those who inspect it. */
  async #write(own: LiveClaim, token: bigint): Promise<void> {
    const { node, session, claim } = own;
    if (node === undefined) return;
    const answer = await session.send(setData(node.path, Buffer.from(writeNodeData({ owner: claim.owner, token }))));
    if (!answer.ok) throw refusal(answer, node.path);
    own.node = { ...node, zxid: answer.value.mzxid };
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
    // Somebody has removed it: what is remembered of it is better than nothing.
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
