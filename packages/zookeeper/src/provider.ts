import { createDeadline, providerClosed, socketsHeard } from '@locks/core/adapter';
import type { Deadline, Runtime } from '@locks/core/adapter';
import type { Busy, Claim, Grant, KeyState, RegisterChange, Renewal, Traits } from '@locks/core';
import { Claims } from './claims/claims.ts';
import type { FolderCleanup } from './nodes/folder-cleanup.ts';
import type { KeyName, KeyNames } from './nodes/key-names.ts';
import type { Nodes } from './nodes/nodes.ts';
import { register } from './nodes/registers.ts';
import type { Recipe } from './recipes/recipe.ts';
import type { SessionManager } from './session/session-manager.ts';
import type { Session } from './session/session.ts';
import type { Tokens } from './tokens/tokens.ts';
import type { Acl } from './wire/records.ts';
import type { ZookeeperProvider } from './zookeeper-provider.ts';

export interface SessionProviderParts {
  readonly sessions: SessionManager;
  readonly recipe: Recipe;
  readonly nodes: Nodes;
  readonly tokens: Tokens;
  readonly folders: Pick<FolderCleanup, 'stop'>;
  readonly names: KeyNames;
  readonly runtime: Runtime;
  /** Time limit of each call, in ms. */
  readonly timeout: number;
  /** `host:port` of the servers, for messages. */
  readonly servers: string;
}

/** How many keys `list` checks in one flight. With more, locks wait longer behind them. */
const flight = 200;

/** Locks in ZooKeeper: the contract, over one session and one layout of nodes. */
export class SessionProvider implements ZookeeperProvider {
  readonly name = 'zookeeper';
  readonly traits: Traits;
  readonly #parts: SessionProviderParts;
  readonly #deadline: Deadline;
  readonly #claims: Claims;
  #closed = false;

  constructor(parts: SessionProviderParts) {
    const { recipe, nodes, tokens, runtime, timeout, servers } = parts;
    this.traits = {
      scope: 'network',
      expiry: 'session',
      fencing: 'strict',
      fair: true,
      shared: true,
      wake: true,
    };
    this.#parts = parts;
    this.#deadline = createDeadline(runtime, timeout, `ZooKeeper at ${servers}`);
    const holds = { nodes, deadline: this.#deadline, timeout };
    this.#claims = new Claims({ recipe, tokens, holds, ready: () => this.#ready() });
  }

  /**
   * Resolves when there is a session whose user may create nodes under the root. Rejects with
   * `LOCK_UNAVAILABLE` after `within` ms without a session. The caller limits the remainder.
   */
  async connect(within: number): Promise<void> {
    this.#checkOpen();
    const { sessions, tokens } = this.#parts;
    await tokens.current(await sessions.ready(within));
  }

  tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    return this.#call((calledAt) => this.#claims.acquire(claim, wake, calledAt), 'an acquire', claim.key);
  }

  renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    return this.#call((calledAt) => this.#claims.renew(claim, token, calledAt), 'a renewal', claim.key);
  }

  release(claim: Claim): Promise<boolean> {
    this.#claims.stopWaiting(claim.owner);
    return this.#call(() => this.#claims.release(claim), 'a release', claim.key);
  }

  inspect(key: string): Promise<KeyState> {
    return this.#call(async () => await this.#parts.recipe.inspect(await this.#ready(), key), 'an inspection', key);
  }

  register(name: string, change?: RegisterChange): Promise<string | undefined> {
    const work = async (): Promise<string | undefined> =>
      await register(this.#parts.nodes, await this.#ready(), name, change);
    return this.#call(work, 'register', name);
  }

  async *list(prefix: string): AsyncIterable<string> {
    const { names, recipe } = this.#parts;
    const read = async (): Promise<readonly KeyName[]> => {
      await this.#ready();
      return await names.read(prefix);
    };
    const found = await this.#partOfList(read, prefix);
    for (let start = 0; start < found.length; start += flight) {
      const some = found.slice(start, start + flight);
      const look = async (): Promise<readonly boolean[]> =>
        await recipe.used(
          await this.#ready(),
          some.map(({ name }) => name),
        );
      const used = await this.#partOfList(look, prefix);
      for (const [index, { key }] of some.entries()) if (used[index] === true) yield key;
    }
  }

  /** For guards: the result of `work` in the session, within the timeout. */
  inSession<T>(work: (session: Session) => Promise<T>, what: string, key: string): Promise<T> {
    return this.#call(async () => await work(await this.#ready()), what, key);
  }

  /** For guards: the node that exists as long as `owner` holds. `undefined`: it does not hold. */
  nodeOf(owner: string): { readonly path: string; readonly session: Session } | undefined {
    this.#checkOpen();
    return this.#claims.nodeOf(owner);
  }

  /** For guards: the ACL of created nodes. */
  get acl(): readonly Acl[] {
    return this.#parts.nodes.acl;
  }

  outage(): unknown {
    return this.#parts.sessions.failure;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { names, folders, sessions } = this.#parts;
    this.#claims.close();
    names.close();
    folders.stop();
    await sessions.close();
    this.#deadline.stop();
  }

  async #ready(): Promise<Session> {
    return await this.#parts.sessions.ready(this.#parts.timeout);
  }

  /**
   * The result of `call`, in time. The process may stand still before `call` begins, and core
   * counts what it grants from `calledAt`.
   */
  async #call<T>(call: (calledAt: number) => Promise<T>, what: string, key: string): Promise<T> {
    const calledAt = this.#parts.runtime.clock.now();
    this.#checkOpen();
    if (this.#parts.sessions.mayBeOver) {
      await socketsHeard();
      this.#checkOpen();
    }
    return await this.#deadline.race(call(calledAt), () => `${what} of ${JSON.stringify(key)}`);
  }

  /** A list may take long. If the provider was closed in the meantime, that is the reason. */
  async #partOfList<T>(part: () => Promise<T>, prefix: string): Promise<T> {
    try {
      return await this.#call(part, 'a list', prefix);
    } catch (error) {
      this.#checkOpen();
      throw error;
    }
  }

  #checkOpen(): void {
    if (this.#closed) throw providerClosed(this.name);
  }
}
