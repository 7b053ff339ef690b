import type { Busy, Claim, Grant, KeyState, LockProvider, RegisterChange, Renewal, Traits } from '@locks/core';
import { LockError, providerClosed, settledWithin } from '@locks/core/adapter';
import { printAsProvider, readJobRecords } from '@locks/core/composite';
import { ClaimsByOwner } from '../claims-by-owner.ts';
import { CombinedProvider, checkClaim } from '../combine/combined-provider.ts';
import { checkComposed } from '../combine/register-votes.ts';
import { singleRegister } from '../combine/single-register.ts';
import { combineStates, holdsByOwner } from '../members/key-states.ts';
import type { MemberHold, ToldState } from '../members/key-states.ts';
import { settledWhileAnswered } from '../members/close-members.ts';
import { callMember } from '../members/member-answers.ts';
import { isSame } from './decisions.ts';
import { Keeper } from './keeper.ts';
import { keysOfMigrations } from './keys.ts';
import { MigratingClaim } from './migrating-claim.ts';
import type { MigrationHost } from './migrating-claim.ts';
import { migrationTraits, readMigrateOptions, storeTitle } from './options.ts';
import type { MigrateOptions, MigrateRules } from './options.ts';
import { ends, oppositeOf } from './phase.ts';
import type { End, Phase } from './phase.ts';

/**
 * Two stores as one provider, while a fleet moves its locks from one to the other without a stop.
 * In phase `both` a lock is held in both stores. A process uses one store alone, as configured,
 * when no process uses the other one alone; until then it stays in `both`. Nothing persistent is
 * kept in a store. `close` closes both stores. `docs/migrating.md` has the steps.
 * @throws `LOCK_MISCONFIGURED` naming the wrong option.
 */
export function migrate(options: MigrateOptions): LockProvider {
  return new MigratingProvider(readMigrateOptions(options));
}

/** Its claims are taken in one store or in both. */
export class MigratingProvider implements LockProvider, MigrationHost {
  readonly name = 'migrate';
  readonly traits: Traits;
  readonly both: CombinedProvider;
  readonly keeper: Keeper;
  readonly list?: (prefix: string) => AsyncIterable<string>;
  readonly time?: () => Promise<number>;
  readonly register?: (name: string, change?: RegisterChange) => Promise<string | undefined>;
  readonly #stores: Readonly<Record<End, LockProvider>>;
  readonly #claims = new ClaimsByOwner<MigratingClaim>();
  #closing: Promise<void> | undefined = undefined;

  constructor(rules: MigrateRules) {
    const { stores } = rules;
    this.traits = migrationTraits(stores);
    printAsProvider('MigratingProvider', this);
    this.#stores = stores;
    this.both = new CombinedProvider({
      ...rules,
      name: this.name,
      titles: ends.map((end) => storeTitle(end, stores[end].name)),
      providers: [stores.from, stores.to],
    });
    this.keeper = new Keeper(rules, {
      inUse: (end) => this.#claims.values().some((claim) => claim.uses(end)),
      changed: () => void this.#beginAnew(),
      carry: async () => {
        if (this.register !== undefined) await readJobRecords(this.both, rules.runtime);
      },
    });
    const { from, to } = stores;
    if (from.time !== undefined && to.time !== undefined) this.time = () => this.#time();
    if (from.register !== undefined && to.register !== undefined) this.register = (...call) => this.#register(...call);
    if (from.list !== undefined && to.list !== undefined) this.list = (prefix) => this.#list(prefix);
  }

  async tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    this.#checkOpen();
    checkClaim('migration', claim, claim.key.startsWith(keysOfMigrations));
    return await this.#claims.getOrMake(claim.owner, () => new MigratingClaim(this, claim)).tryAcquire(claim, wake);
  }

  async renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    this.#checkOpen();
    const find = async (): Promise<readonly MemberHold[] | undefined> => {
      const holds = await this.#find(claim);
      return holds.length === 0 ? undefined : holds;
    };
    const known = await this.#claims.getOrAdopt(claim.owner, find, (holds) => this.#adopt(claim, holds));
    return known === undefined ? false : await known.renew(claim, token);
  }

  async release(claim: Claim): Promise<boolean> {
    this.#checkOpen();
    const known = this.#claims.get(claim.owner);
    if (known === undefined) return await this.#releaseFound(claim);
    return await known.release().finally(() => this.keeper.claimEnded());
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

  /** How many claims it knows: none after all were released. */
  get size(): number {
    return this.#claims.size + this.both.size;
  }

  at(phase: Phase): LockProvider {
    return phase === 'both' ? this.both : this.#stores[phase];
  }

  /** The reports of a key from the stores that this process uses: one or both. */
  async #states(key: string): Promise<ToldState[]> {
    this.keeper.read();
    const { phase } = this.keeper.scope();
    if (phase === 'both') return [...((await this.both.inspect(key)).members ?? [])];
    const states: ToldState[] = ends.map((end) => ({
      error: new Error(`"${end}" was not asked: this process takes locks in "${phase}" alone`),
    }));
    states[ends.indexOf(phase)] = await this.at(phase).inspect(key);
    return states;
  }

  /** What each store has of a claim. One that this process does not use may be silent. */
  async #find({ key, owner }: Claim): Promise<readonly MemberHold[]> {
    await this.keeper.begun();
    const { phase } = this.keeper.scope();
    const states = await this.#states(key);
    if (phase !== 'both') {
      const other = oppositeOf(phase);
      const asked = callMember(() => this.at(other).inspect(key)).then(
        (state) => (states[ends.indexOf(other)] = state),
        () => {},
      );
      await settledWithin(this.both.runtime, this.both.memberTimeout, asked);
    }
    return holdsByOwner(states).get(owner) ?? [];
  }

  /** A lease of another process, if this one uses the same stores. */
  #adopt(claim: Claim, holds: readonly MemberHold[]): MigratingClaim {
    const scope = this.keeper.scope();
    const first = holds.find(({ member }) => scope.phase === 'both' || ends[member] === scope.phase);
    const others = holds.some(({ member }) => member !== first?.member);
    if (first === undefined || (scope.phase === 'both' && !others)) {
      const where = ends[holds[0]?.member ?? 0];
      const message = `The lease of ${JSON.stringify(claim.key)} is held in "${where}" alone, and this process takes locks in "${scope.phase}". Resume it in a process of phase "${where}".`;
      throw new LockError('LOCK_INVALID', message, { key: claim.key });
    }
    const adopted = new MigratingClaim(this, claim);
    adopted.adopt(scope, first.owner);
    return adopted;
  }

  /** By force, or after a restart: wherever it is. */
  async #releaseFound(claim: Claim): Promise<boolean> {
    const holds = await this.#find(claim);
    const freed = await Promise.all(
      holds.map(({ member, owner }) => this.at(ends[member] ?? 'both').release({ ...claim, owner })),
    );
    return freed.includes(true);
  }

  /** By the clock of the store that locks are taken in. */
  async #time(): Promise<number> {
    await this.keeper.begun();
    return (await this.at(this.keeper.scope().phase).time?.()) ?? Number.NaN;
  }

  /**
   * In the stores that this process uses. If it still uses them after the answer, no process used
   * the other end alone before.
   */
  async #register(name: string, change?: RegisterChange): Promise<string | undefined> {
    this.#checkOpen();
    checkComposed(name, change);
    for (;;) {
      await this.keeper.begun();
      const scope = this.keeper.scope();
      const text = await (scope.phase === 'both'
        ? this.both.register?.(name, change)
        : singleRegister(this.#stores[scope.phase], name, change));
      if (isSame(scope, this.keeper.scope())) return text;
    }
  }

  async *#list(prefix: string): AsyncIterable<string> {
    this.#checkOpen();
    const keys = this.at(this.keeper.scope().phase).list?.(prefix) ?? [];
    for await (const key of keys) if (!key.startsWith(keysOfMigrations)) yield key;
  }

  /** Waiting claims return all positions before the first one asks: they keep their order. */
  async #beginAnew(): Promise<void> {
    const moved = this.#claims.values().filter(({ isMoved }) => isMoved);
    moved.sort((one, other) => one.number - other.number);
    await Promise.all(moved.map((claim) => claim.giveBackIdle()));
    for (const claim of moved) queueMicrotask(() => claim.wake?.());
  }

  async #close(): Promise<void> {
    const claims = this.#claims.values();
    this.keeper.stop();
    const reason = new LockError('LOCK_CLOSED', 'its provider was closed');
    for (const claim of claims) claim.close(reason);
    // A store that does not answer costs one member timeout per step, and continues in the
    // background.
    await Promise.all([
      ...this.both.members.map(({ releases }) => settledWhileAnswered(releases, this.both, releases.finished())),
      settledWithin(this.both.runtime, this.both.memberTimeout, this.keeper.close()),
    ]);
    this.#claims.clear();
    try {
      await callMember(() => this.both.close());
    } finally {
      for (const claim of claims) queueMicrotask(() => claim.wake?.());
    }
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw providerClosed(this.name);
  }
}
