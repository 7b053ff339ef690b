import { isLockError, misconfigured, settledWithin } from '@locks/core/adapter';
import type { LockError } from '@locks/core/adapter';
import { memberError } from '../members/member.ts';
import { idRegister, readStoreId } from '../members/store-id.ts';
import { markRegister, noteKey, presenceKey, storesRegister } from './keys.ts';
import { migrateSource } from './options.ts';
import type { MigrateRules } from './options.ts';
import { ends, phases } from './phase.ts';
import type { End, Phase } from './phase.ts';

/** Which stores these are is asked again after this part of the presence's ttl. */
const looksPerTtl = 3;

/**
 * Finds out that both ends are one store, or that processes of this migration have other stores. A
 * name proves nothing: a store has many, and each store has an id.
 */
export class Identity {
  readonly #rules: MigrateRules;
  readonly #isBoth: () => boolean;
  #ids: Partial<Record<End, string>> = {};
  #checkedAt = -Infinity;
  #checking: Promise<void> | undefined = undefined;

  /** `isBoth`: the process is to be in `both`. */
  constructor(rules: MigrateRules, isBoth: () => boolean) {
    this.#rules = rules;
    this.#isBoth = isBoth;
  }

  /**
   * Resolves when the stores of `phase` are known. `undefined`: they are. Rejects with
   * `LOCK_MISCONFIGURED` where they are the wrong ones.
   */
  ready(phase: Phase): Promise<void> | undefined {
    const { presenceTtl, runtime } = this.#rules;
    const isKnown = this.#checkedAt > -Infinity;
    if (isKnown && runtime.clock.now() - this.#checkedAt < presenceTtl / looksPerTtl) return undefined;
    const check = async (): Promise<void> => {
      if (isKnown) await this.#keep(phase);
      else await this.#check();
      this.#checkedAt = runtime.clock.now();
    };
    this.#checking ??= check().finally(() => (this.#checking = undefined));
    if (!isKnown) return this.#checking;
    this.#checking.catch(() => {});
    return undefined;
  }

  /** A store that lost its data gets its id back. */
  async #keep(phase: Phase): Promise<void> {
    const { stores, runtime } = this.#rules;
    const used = phase === 'both' ? ends : [phase];
    await Promise.all(
      used.map(async (end) => {
        this.#ids[end] = await this.#asking(end, readStoreId(stores[end], runtime, this.#ids[end]));
      }),
    );
  }

  async #check(): Promise<void> {
    // Nothing can be said of a store that is gone.
    if (this.#rules.without !== undefined) return;
    const { stores } = this.#rules;
    // What it was told when it was refused may be wrong.
    this.#ids = {};
    const before = await Promise.all(
      ends.map((end) => this.#asking(end, (async () => await stores[end].register?.(idRegister))())),
    );
    await this.#keep('both');
    const { from = '', to = '' } = this.#ids;
    if (from === to) {
      throw misconfigured(migrateSource.where, 'options "from" and "to" name the same store; give two stores');
    }
    // One that lost its data, with all processes stopped, comes back into `both` only.
    const mayBeNew = before.includes(undefined) && this.#isBoth();
    for (const end of ends) await this.#record(end, `${from}/${to}`, mayBeNew);
  }

  /** Rejects if the stores are certainly the wrong ones. One that is silent tells nothing. */
  async notWrong(): Promise<void> {
    const { runtime, memberTimeout } = this.#rules;
    let wrong: LockError | undefined;
    const asked = Promise.resolve(this.ready('both')).catch((error: unknown) => {
      if (isLockError(error, 'LOCK_MISCONFIGURED')) wrong = error;
    });
    await settledWithin(runtime, memberTimeout, asked);
    if (wrong !== undefined) throw wrong;
  }

  /** Errors of a store name it. */
  async #asking<T>(end: End, asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      throw memberError(`store "${end}" (${this.#rules.stores[end].name})`, error);
    }
  }

  /** Keeps `ours` in the store of `end`. */
  async #record(end: End, ours: string, mayBeNew: boolean): Promise<void> {
    const { stores, name } = this.#rules;
    const register = storesRegister(name);
    let text = await stores[end].register?.(register);
    while (text !== ours) {
      if (text !== undefined && (await this.#isInUse(end, mayBeNew))) throw this.#others(end, text, ours);
      text = await stores[end].register?.(register, { from: text, to: ours });
    }
  }

  /** Processes of the migration are alive at that store, or went on to the other one. */
  async #isInUse(end: End, mayBeNew: boolean): Promise<boolean> {
    const { stores, name } = this.#rules;
    const store = stores[end];
    const marks = await Promise.all(ends.map(async (each) => await store.register?.(markRegister(name, each))));
    if (!mayBeNew && marks.some((mark) => mark !== undefined)) return true;
    const keys = [...ends.map((each) => presenceKey(name, each)), ...phases.map((phase) => noteKey(name, phase))];
    const states = await Promise.all(keys.map((key) => store.inspect(key)));
    return states.some(({ holders }) => holders.length > 0);
  }

  #others(end: End, theirs: string, ours: string): LockError {
    const { name, stores } = this.#rules;
    const what = `store "${end}" (${stores[end].name}) has processes of migration "${name}" between stores ${theirs}`;
    return misconfigured(
      migrateSource.where,
      `${what}, not ${ours}. Check options "from" and "to". If a store lost its data, give all processes phase "both" first`,
    );
  }
}
