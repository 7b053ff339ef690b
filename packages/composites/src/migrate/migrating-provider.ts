import type { Busy, Claim, Grant, KeyState, LockProvider, Renewal, Traits } from '@locks/core';
import { LockError, settledWithin } from '@locks/core/adapter';
import { printAsProvider, providerClosed } from '@locks/core/composite';
import { ClaimsByOwner } from '../claims-by-owner.ts';
import { CombinedProvider, checkClaim } from '../combine/combined-provider.ts';
import { combineStates, holdsByOwner } from '../members/key-states.ts';
import type { MemberHold, ToldState } from '../members/key-states.ts';
import { settledWhileAnswered } from '../members/close-members.ts';
import { callMember } from '../members/member-answers.ts';
import { isReserved } from './keys.ts';
import { timeOf } from '../members/time-of.ts';
import { MigratingClaim } from './claim/migrating-claim.ts';
import type { MigrationHost } from './claim/migration-host.ts';
import { migrationTraits, storeTitle } from './options.ts';
import type { MigrateRules } from './options.ts';
import { PhaseKeeper } from './phase-keeper.ts';
import { oppositeOf } from './phase.ts';
import type { End } from './phase.ts';

/** Two stores as one provider, whose claims are taken in one store or in both. */
export class MigratingProvider implements LockProvider, MigrationHost {
  readonly name = 'migrate';
  readonly traits: Traits;
  readonly stores: Readonly<Record<End, LockProvider>>;
  readonly both: CombinedProvider;
  readonly keeper: PhaseKeeper;
  readonly runtime: MigrateRules['runtime'];
  readonly list?: (prefix: string) => AsyncIterable<string>;
  readonly time?: () => Promise<number>;
  readonly #name: string;
  readonly #claims = new ClaimsByOwner<MigratingClaim>();
  #closing: Promise<void> | undefined = undefined;

  constructor(rules: MigrateRules) {
    const { stores, runtime, name } = rules;
    this.traits = migrationTraits(stores);
    printAsProvider('MigratingProvider', this);
    this.stores = stores;
    this.runtime = runtime;
    this.both = new CombinedProvider({
      ...rules,
      name: this.name,
      titles: [storeTitle('from', stores.from.name), storeTitle('to', stores.to.name)],
      providers: [stores.from, stores.to],
    });
    this.keeper = new PhaseKeeper(rules, {
      inUse: () => this.#claims.values().some(({ usesEnd }) => usesEnd),
      changed: () => this.#wakeAll(),
      lost: (reason) => this.#claims.values().forEach((claim) => claim.presenceLost(reason)),
    });
    this.#name = name;
    const { from, to } = stores;
    if (from.time !== undefined && to.time !== undefined) this.time = () => this.#time();
    if (from.list !== undefined && to.list !== undefined) this.list = (prefix) => this.#list(prefix);
    this.keeper.read();
  }

  async tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    this.#checkOpen();
    checkClaim('migration', claim, isReserved(this.#name, claim.key));
    return await this.#claims.getOrMake(claim.owner, () => new MigratingClaim(this, claim)).tryAcquire(claim, wake);
  }

  async renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    this.#checkOpen();
    const known = await this.#find(claim);
    return known === undefined ? false : await known.renew(claim, token);
  }

  async release(claim: Claim): Promise<boolean> {
    this.#checkOpen();
    const known = await this.#find(claim);
    if (known === undefined) return false;
    try {
      return await known.release();
    } finally {
      this.keeper.goOn();
    }
  }

  async inspect(key: string): Promise<KeyState> {
    this.#checkOpen();
    return combineStates(key, await this.#states(key));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  forget(claim: MigratingClaim): void {
    this.#claims.delete(claim);
  }

  /** How many claims it knows: none, when all is released. */
  get size(): number {
    return this.#claims.size + this.both.size;
  }

  /** What the stores that this process uses say of a key: one of them, or both. */
  async #states(key: string): Promise<readonly ToldState[]> {
    this.keeper.read();
    const { phase } = this.keeper.scope();
    if (phase === 'both') return (await this.both.inspect(key)).members ?? [];
    const state = await this.stores[phase].inspect(key);
    const error = new Error(`not asked: this process takes locks in "${phase}" alone`);
    return phase === 'from' ? [state, { error }] : [{ error }, state];
  }

  #find(claim: Claim): Promise<MigratingClaim | undefined> {
    const find = async (): Promise<readonly MemberHold[] | undefined> => {
      await this.keeper.begun();
      return holdsByOwner(await this.#allStates(claim.key)).get(claim.owner);
    };
    return this.#claims.getOrAdopt(claim.owner, find, (holds) => {
      const found = new MigratingClaim(this, claim);
      found.adopt(holds as readonly [MemberHold, ...MemberHold[]]);
      return found;
    });
  }

  /** Also of the store that this process does not use, if that answers: others may use it. */
  async #allStates(key: string): Promise<readonly (ToldState | undefined)[]> {
    const { phase } = this.keeper.scope();
    if (phase === 'both') return await this.#states(key);
    let other: KeyState | undefined;
    const asked = callMember(() => this.stores[oppositeOf(phase)].inspect(key)).then(
      (state) => (other = state),
      () => {},
    );
    const [own] = await Promise.all([
      this.stores[phase].inspect(key),
      settledWithin(this.runtime, this.both.memberTimeout, asked),
    ]);
    return phase === 'from' ? [own, other] : [other, own];
  }

  /** By the clock of the store that locks are taken in. */
  async #time(): Promise<number> {
    await this.keeper.begun();
    const { phase } = this.keeper.scope();
    const { from, to } = this.stores;
    return await timeOf(this.name, phase === 'both' ? [from, to] : [this.stores[phase]]);
  }

  async *#list(prefix: string): AsyncIterable<string> {
    this.#checkOpen();
    const { phase } = this.keeper.scope();
    const keys = (phase === 'both' ? this.both : this.stores[phase]).list?.(prefix) ?? [];
    for await (const key of keys) if (!isReserved(this.#name, key)) yield key;
  }

  #wakeAll(): void {
    for (const claim of this.#claims.values()) queueMicrotask(() => claim.wakeUp());
  }

  async #close(): Promise<void> {
    const claims = this.#claims.values();
    this.keeper.stop();
    // Others may enter the other end as soon as the presence is given back.
    const reason = new LockError('LOCK_CLOSED', 'its provider was closed');
    for (const claim of claims) claim.presenceLost(reason);
    // A store that does not answer costs one member timeout at each step, and goes on behind.
    await Promise.all(
      this.both.members.map(({ releases }) => settledWhileAnswered(releases, this.both, releases.finished())),
    );
    await settledWithin(this.runtime, this.both.memberTimeout, this.keeper.close());
    this.#claims.clear();
    try {
      await callMember(() => this.both.close());
    } finally {
      for (const claim of claims) queueMicrotask(() => claim.wakeUp());
    }
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw providerClosed(this.name);
  }
}
