import { LockError } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { LiveClaim } from './live-claim.ts';
import { refusal } from './nodes.ts';
import type { Nodes } from './nodes.ts';
import { writeNodeData } from './node-data.ts';
import { mint, raiseFor, raisedData, readBase } from './line/base.ts';
import type { Base } from './line/base.ts';
import { baseName } from './paths.ts';
import type { Sender } from './session/generation.ts';
import type { Request } from './wire/request.ts';
import { multi } from './wire/multi.ts';
import { getData, setData } from './wire/requests.ts';

/** As many rounds as others may be faster in. */
const rounds = 20;

/** What a generation has read of the base node, and whether it still is so. */
interface Reading {
  readonly session: bigint;
  readonly base: Base;
  changed: boolean;
}

/** Fencing tokens: the transaction that made a claim's node, plus the base that one node holds for the whole root. */
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

  /**
   * The token of a claim that has seen that it holds, above the claim's floor. `undefined`: the base has changed since it looked, so it must look
   * again.
   */
  async mint(own: LiveClaim, { mode, floor }: Claim): Promise<bigint | undefined> {
    const { session, node } = own;
    if (node === undefined) return undefined;
    const base = this.cached(session) ?? (await this.#read(session));
    const minted = mint({ czxid: node.zxid, mode, floor }, base, own.seenAt);
    if (minted.state === 'raise') await this.#raise(session, base, minted.to);
    if (minted.state !== 'minted') return undefined;
    // What its node says of its token must be right, for whoever inspects it.
    if (node.base !== base.value && !(await this.#write(own, minted.token))) return undefined;
    return minted.token;
  }

  /** Makes `token` that of a claim that holds, and all later tokens higher. `false`: somebody has removed its node. */
  async raise(own: LiveClaim, token: bigint): Promise<boolean> {
    const { session, node } = own;
    if (node === undefined) return false;
    for (let round = 0; round < rounds; round += 1) {
      const base = this.cached(session) ?? (await this.#read(session));
      const to = raiseFor(token, node.zxid, base);
      if (to === undefined) {
        if (!(await this.#write(own, token))) return false;
        own.token = token;
        return true;
      }
      await this.#raise(session, base, to);
    }
    throw this.#contended();
  }

  /** By compare-and-set: if somebody else was faster, nothing happens, and the base is read again. */
  async #raise(session: Sender, base: Base, to: bigint): Promise<void> {
    const answer = await session.send(setData(this.#path, raisedData(base, to), base.version));
    if (this.#reading?.session === session.id) this.#reading.changed = true;
    if (!answer.ok && answer.error !== 'BAD_VERSION' && answer.error !== 'NO_NODE') throw refusal(answer, this.#path);
  }

  async #write({ node, session, claim }: LiveClaim, token: bigint): Promise<boolean> {
    if (node === undefined) return false;
    const answer = await session.send(setData(node.path, Buffer.from(writeNodeData({ owner: claim.owner, token }))));
    if (!answer.ok && answer.error !== 'NO_NODE') throw refusal(answer, node.path);
    return answer.ok;
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
    // If somebody has removed it, what is remembered of it is better than nothing.
    const known = this.#reading?.base;
    const data = known === undefined ? '' : raisedData(known, known.value).toString();
    let made = await this.#nodes.make(session, this.#path, 'persistent', data);
    if (!made.ok && made.error === 'NO_NODE') {
      await this.#nodes.makePersistent(session, this.#nodes.root);
      made = await this.#nodes.make(session, this.#path, 'persistent', data);
    }
    if (!made.ok && made.error !== 'NODE_EXISTS' && made.error !== 'NO_NODE') throw refusal(made, this.#path);
  }

  #contended(): LockError {
    return new LockError('LOCK_UNAVAILABLE', `ZooKeeper: ${this.#path} changes too often to get a token.`);
  }
}
