import { LockError, createDeadline, isLockError } from '@locks/core/adapter';
import type { Deadline, Runtime } from '@locks/core/adapter';
import type { Busy, Claim, Grant, KeyState, LockProvider, Renewal, Traits } from '@locks/core';
import { highestFloor } from './tokens/base.ts';
import type { KeyName, KeyNames } from './nodes/key-names.ts';
import { LiveClaim } from './recipes/live-claim.ts';
import type { OwnNode } from './recipes/live-claim.ts';
import type { MadeFolders } from './nodes/folder-cleanup.ts';
import type { Nodes } from './nodes/nodes.ts';
import type { Recipe } from './recipes/recipe.ts';
import type { SessionManager } from './session/session-manager.ts';
import type { Session } from './session/session.ts';
import type { Tokens } from './tokens/tokens.ts';
import type { Acl, Stat } from './wire/records.ts';

/** What a provider is made of. */
export interface ZookeeperProviderParts {
  readonly sessions: SessionManager;
  readonly recipe: Recipe;
  readonly nodes: Nodes;
  readonly tokens: Tokens;
  readonly folders: Pick<MadeFolders, 'stop'>;
  readonly names: KeyNames;
  readonly runtime: Runtime;
  /** Within how many ms each call settles. */
  readonly timeout: number;
}

/** As many keys as `list` looks at in one flight. */
const flight = 200;

/**
 * A renewal waits this share of the session timeout for an answer. With a longer wait, a lease may lapse that its session
 * outlives: two ninths of the timeout are left at the latest.
 */
const shareOfLook = 9;

/** Locks in ZooKeeper: the contract, over one session and one layout of nodes. */
export class ZookeeperProvider implements LockProvider {
  readonly name = 'ZooKeeper';
  readonly traits: Traits;
  readonly #sessions: SessionManager;
  readonly #recipe: Recipe;
  readonly #nodes: Nodes;
  readonly #tokens: Tokens;
  readonly #folders: Pick<MadeFolders, 'stop'>;
  readonly #names: KeyNames;
  readonly #runtime: Runtime;
  readonly #timeout: number;
  readonly #deadline: Deadline;
  readonly #claims = new Map<string, LiveClaim>();
  #closed = false;

  constructor({ sessions, recipe, nodes, tokens, folders, names, runtime, timeout }: ZookeeperProviderParts) {
    this.traits = {
      scope: 'network',
      expiry: 'session',
      fencing: 'strict',
      fair: recipe.fair,
      shared: recipe.shared,
      wake: true,
    };
    this.#sessions = sessions;
    this.#recipe = recipe;
    this.#nodes = nodes;
    this.#tokens = tokens;
    this.#folders = folders;
    this.#names = names;
    this.#runtime = runtime;
    this.#timeout = timeout;
    this.#deadline = createDeadline(runtime, timeout, this.name);
  }

  /** Resolves when there is a session whose user may make nodes under the root. Whoever calls it sets the limit. */
  async connect(within: number): Promise<void> {
    this.#checkOpen();
    await this.#tokens.current(await this.#sessions.ready(within));
  }

  tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    return this.#call(() => this.#attempt(claim, wake), 'an acquire', claim.key);
  }

  renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    return this.#call(() => this.#renew(claim, token), 'a renewal', claim.key);
  }

  release(claim: Claim): Promise<boolean> {
    const own = this.#claims.get(claim.owner);
    if (own !== undefined) {
      own.wake = undefined;
      own.unwatch();
    }
    return this.#call(() => this.#release(claim), 'a release', claim.key);
  }

  inspect(key: string): Promise<KeyState> {
    return this.#call(async () => await this.#recipe.inspect(await this.#ready(), key), 'an inspection', key);
  }

  async *list(prefix: string): AsyncIterable<string> {
    const read = async (): Promise<readonly KeyName[]> => {
      await this.#ready();
      return await this.#names.read(prefix);
    };
    const found = await this.#partOfList(read, prefix);
    for (let start = 0; start < found.length; start += flight) {
      const some = found.slice(start, start + flight);
      const look = async (): Promise<readonly boolean[]> =>
        await this.#recipe.used(
          await this.#ready(),
          some.map(({ name }) => name),
        );
      const used = await this.#partOfList(look, prefix);
      for (const [index, { key }] of some.entries()) if (used[index] === true) yield key;
    }
  }

  /** For guards: what `work` does in the session, within the timeout. */
  inSession<T>(work: (session: Session) => Promise<T>, what: string, key: string): Promise<T> {
    return this.#call(async () => await work(await this.#ready()), what, key);
  }

  /** For guards: the node that is there in `session` as long as `owner` holds; `undefined`: it holds nothing in it. */
  nodeOf(owner: string, session: Session): string | undefined {
    const own = this.#claims.get(owner);
    return own?.token !== undefined && own.session === session ? own.node?.path : undefined;
  }

  /** For guards: of the nodes that are made. */
  get acl(): readonly Acl[] {
    return this.#nodes.acl;
  }

  outage(): unknown {
    return this.#sessions.failure;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const own of this.#claims.values()) {
      if (own.wake !== undefined) queueMicrotask(own.wake);
      own.wake = undefined;
    }
    this.#claims.clear();
    this.#names.close();
    this.#folders.stop();
    await this.#sessions.close();
    this.#deadline.stop();
  }

  async #attempt(claim: Claim, wake: (() => void) | undefined): Promise<Grant | Busy> {
    checkFloor(claim.key, claim.floor);
    const calledAt = this.#runtime.clock.now();
    const session = await this.#ready();
    const own = this.#claimOf(claim, session);
    if (wake !== undefined) own.wake = wake;
    return await own.inTurn(async () => {
      // The call before this one may have forgotten it.
      if (!this.#claims.has(claim.owner)) this.#claims.set(claim.owner, own);
      try {
        // Its own node of then would be before it in line.
        if (own.former) await this.#recipe.evict(session, claim);
        own.former = false;
        const standing = await this.#recipe.attempt(own, claim);
        if (!standing.holds) {
          if (own.wake === undefined && !own.uncertain) this.#forget(own);
          return { granted: false, retryAfter: standing.retryAfter };
        }
        own.wake = undefined;
        own.token ??= await this.#mint(own, claim.floor);
      } catch (error) {
        // A claim that was refused for good may not come again. One that holds goes on.
        if (own.token === undefined && !isLockError(error, 'LOCK_UNAVAILABLE')) await this.#giveUp(own);
        throw error;
      }
      const validity = session.deadline - calledAt;
      if (!session.alive || validity <= 0) throw this.#suspended(claim.key);
      return { granted: true, token: own.token, validity, lost: session.lost };
    });
  }

  async #mint(own: LiveClaim, floor: bigint | undefined): Promise<bigint> {
    try {
      return await this.#tokens.mint(own, floor);
    } catch (error) {
      // An answer may have been garbled: the node is looked for, and read, again.
      own.node = undefined;
      own.uncertain = true;
      throw error;
    }
  }

  async #renew(claim: Claim, token: bigint | undefined): Promise<Renewal | false> {
    const calledAt = this.#runtime.clock.now();
    const own = this.#claims.get(claim.owner);
    // A hold belongs to the session that it was granted in.
    if (own?.token === undefined || own.node === undefined) return false;
    if (!own.session.alive) return await this.#end(own);
    if (token !== undefined && token < own.token) return false;
    checkFloor(claim.key, token);
    const { session } = own;
    const found = await this.#look(own, own.node, token === undefined);
    // Its node was there before, and lasts until the session is lost.
    if (found === 'unknown') return renewal(session.deadline - calledAt);
    if (found === 'gone') {
      await this.#recipe.gone?.(own);
      if (this.#claims.get(claim.owner) === own) this.#forget(own);
      return false;
    }
    if (token !== undefined && token > own.token) await this.#tokens.raise(own, token);
    return renewal(session.deadline - calledAt);
  }

  /** Whether the node of a hold is there. `unknown`, if that is allowed: the servers do not answer soon. */
  async #look(own: LiveClaim, node: OwnNode, mayBeUnknown: boolean): Promise<'there' | 'gone' | 'unknown'> {
    const { session } = own;
    if (!session.connected && mayBeUnknown) return 'unknown';
    const looking = this.#nodes.existsLatest(session, node.path);
    try {
      const stat = await (mayBeUnknown
        ? this.#deadline.race(looking, 'a renewal', Math.min(session.timeout / shareOfLook, this.#timeout / 2))
        : looking);
      return isNode(stat, node) ? 'there' : 'gone';
    } catch (error) {
      if (!mayBeUnknown || !session.alive || !isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
      // The answer counts when it comes: the next renewal may hear no sooner than this one.
      const late = looking.then((stat) =>
        isNode(stat, node) ? undefined : own.inTurn(() => this.#goneLate(own, node)),
      );
      late.catch(() => {});
      return 'unknown';
    }
  }

  /** A late answer has told that the node of a hold is gone. */
  async #goneLate(own: LiveClaim, node: OwnNode): Promise<void> {
    if (own.node?.czxid !== node.czxid || own.token === undefined) return;
    // The next renewal answers `false` at once; if the rest fails, a release does it.
    own.token = undefined;
    await this.#recipe.gone?.(own);
    this.#forget(own);
  }

  async #release(claim: Claim): Promise<boolean> {
    const own = this.#claims.get(claim.owner);
    if (own === undefined) return await this.#recipe.evict(await this.#ready(), claim);
    return await own.inTurn(async () => {
      // The session may come back: until then nobody knows.
      if (own.session.alive && !own.session.connected) await this.#ready();
      if (!own.session.alive) return await this.#end(own);
      const held = own.token !== undefined;
      const removed = await this.#recipe.leave(own);
      this.#forget(own);
      return held && removed;
    });
  }

  #claimOf(claim: Claim, session: Session): LiveClaim {
    const known = this.#claims.get(claim.owner);
    if (known !== undefined && known.session === session) return known;
    const own = new LiveClaim(claim, session, known !== undefined);
    this.#claims.set(claim.owner, own);
    return own;
  }

  /** Removes what a lost session has left of a claim, if the servers have not yet: only then is it certain that it holds nothing. */
  async #end(own: LiveClaim): Promise<false> {
    await this.#recipe.evict(await this.#ready(), own.claim);
    this.#forget(own);
    return false;
  }

  /** Removes what an attempt has left in line. If that fails, a release does it. */
  async #giveUp(own: LiveClaim): Promise<void> {
    try {
      if (own.node !== undefined || own.uncertain) await this.#recipe.leave(own);
      this.#forget(own);
    } catch {
      // The caller hears why it was refused.
    }
  }

  #forget(own: LiveClaim): void {
    own.wake = undefined;
    own.unwatch();
    if (this.#claims.get(own.claim.owner) === own) this.#claims.delete(own.claim.owner);
  }

  async #ready(): Promise<Session> {
    return await this.#sessions.ready(this.#timeout);
  }

  async #call<T>(call: () => Promise<T>, what: string, key: string): Promise<T> {
    this.#checkOpen();
    return await this.#deadline.race(call(), () => `${what} of ${JSON.stringify(key)}`);
  }

  /** A list may take long: if the provider was closed meanwhile, that is why it failed. */
  async #partOfList<T>(part: () => Promise<T>, prefix: string): Promise<T> {
    try {
      return await this.#call(part, 'a list', prefix);
    } catch (error) {
      this.#checkOpen();
      throw error;
    }
  }

  #suspended(key: string): LockError {
    return new LockError(
      'LOCK_UNAVAILABLE',
      `ZooKeeper did not confirm the session in time to grant ${JSON.stringify(key)}; try again.`,
      { key },
    );
  }

  #checkOpen(): void {
    if (this.#closed) throw new LockError('LOCK_CLOSED', `The ${this.name} provider is closed.`);
  }
}

/** A session that has ended by now holds nothing any more. */
function renewal(validity: number): Renewal | false {
  return validity > 0 ? { validity } : false;
}

/** Whether `stat` is that of `node`: where nodes are named by their key alone, another claim's may be there. */
function isNode(stat: Stat | undefined, node: OwnNode): boolean {
  return stat?.czxid === node.czxid;
}

/** A permanent refusal must come before a node is made. */
function checkFloor(key: string, floor: bigint | undefined): void {
  if (floor === undefined || floor <= highestFloor) return;
  const message = `No token of ${JSON.stringify(key)} can exceed ${floor}: in ZooKeeper the highest is ${highestFloor}.`;
  throw new LockError('LOCK_INVALID', message, { key });
}
