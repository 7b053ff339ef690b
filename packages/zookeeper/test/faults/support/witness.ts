import type { Lease } from '@locks/core';
import { expect } from 'vitest';
import type { Address } from '../../../src/connection/address.ts';
import { parseContenders, uuidOf } from '../../../src/recipes/contenders.ts';
import type { Session } from '../../../src/session/session.ts';
import { exists, getChildren, sync } from '../../../src/wire/requests.ts';
import { Opened } from '../../support/sessions.ts';

/** What was seen of one lease and its node, by one clock. */
export interface Sight {
  readonly lease: Lease;
  /** When its signal was aborted; `Infinity` before. */
  readonly lostAt: number;
  /** When a client of the server was told that the node is gone; `Infinity` before. */
  readonly removedAt: number;
  /** What the lease said of itself at that moment. */
  readonly heldAtRemoval: boolean | undefined;
}

/** Another client, with its own way to the servers: what it sees of the nodes under one root. */
export class Witness implements AsyncDisposable {
  readonly #opened: Opened = new Opened();
  readonly #servers: readonly Address[];
  readonly #root: string;

  constructor(servers: readonly Address[], root: string) {
    this.#servers = servers;
    this.#root = root;
  }

  /** A session of its own, which outlives the tested ones. */
  async session(): Promise<Session> {
    return await this.#opened.sessions(this.#servers, { sessionTimeout: 60_000 }).ready(30_000);
  }

  /** Watches the node of `lease`. */
  async watch(session: Session, lease: Lease): Promise<Sight> {
    // Its server may lag behind the one that made the node.
    await session.send(sync(this.#root));
    const name = (await this.children(session, lease.key)).find((child) => child.includes(uuidOf(lease.owner)));
    if (name === undefined) throw new Error(`there is no node of ${lease.owner} in the queue of "${lease.key}"`);
    const sight: { -readonly [Name in keyof Sight]: Sight[Name] } = {
      lease,
      lostAt: Infinity,
      removedAt: Infinity,
      heldAtRemoval: undefined,
    };
    lease.signal.addEventListener('abort', () => (sight.lostAt = performance.now()));
    const path = `${this.#root}/${lease.key}/${name}`;
    const fired = async (at: number, held: boolean): Promise<void> => {
      // A watch also tells of changes, and when its own session is lost.
      if ((await session.send(exists(path))).ok) {
        expect(await session.watch(path, look)).toBe('watching');
        return;
      }
      sight.removedAt = at;
      sight.heldAtRemoval = held;
    };
    const look = (): void => void fired(performance.now(), lease.held);
    expect(await session.watch(path, look)).toBe('watching');
    return sight;
  }

  /** The names of the nodes in the queue of `key`, in their order. */
  async children(session: Session, key: string): Promise<readonly string[]> {
    const answer = await session.send(getChildren(`${this.#root}/${key}`));
    if (!answer.ok && answer.error !== 'NO_NODE') throw new Error(`${answer.error} (${answer.code})`);
    const contenders = parseContenders(answer.ok ? answer.value.children : []);
    return contenders.toSorted((one, other) => one.sequence - other.sequence).map(({ name }) => name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened[Symbol.asyncDispose]();
  }
}
