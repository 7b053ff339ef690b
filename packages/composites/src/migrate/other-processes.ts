import type { RegisterChange } from '@locks/core';
import { LockError, outsideContext, settledWithin } from '@locks/core/adapter';
import { labelOf } from '@locks/core/text';
import { lifting } from './decisions.ts';
import { describeLone, findDirect, findLoneHolders } from './holders.ts';
import type { DirectHolder } from './holders.ts';
import { markRegister, presenceKey } from './keys.ts';
import type { MigrateRules } from './options.ts';
import { ends, oppositeOf } from './phase.ts';
import type { End } from './phase.ts';

/**
 * A hold that lasts for more than so many ms is taken for a rest. With more, slots of `once` are
 * forgotten. With less, a process waits for long leases of dead ones.
 */
const longLease = 300_000;

/** Why a process must not act under an end. */
export interface Refusal {
  /** The processes in the way. */
  readonly by?: readonly string[];
  /** What helps, where they do not go away. */
  readonly error?: LockError;
}

/**
 * What a process learns of others in the stores, and tells them.
 *
 * A process that acts under one end leaves a mark in the store of the other one, which outlives it.
 * A process that comes late, with a configuration of before, finds it there. It acts under that end
 * only after the mark was taken away by a process that was to be in `both`.
 */
export class OtherProcesses {
  readonly #rules: MigrateRules;
  /** Keys that processes without `migrate` held, by store. */
  readonly #direct: { [E in End]?: readonly string[] | undefined } = {};
  /** Marks that it read while it was to be in `both`, by the store. */
  readonly #read: Partial<Record<End, string>> = {};
  readonly #isBoth: () => boolean;
  #isLifting = false;

  /** `isBoth`: the process is to be in `both`. */
  constructor(rules: MigrateRules, isBoth: () => boolean) {
    this.#rules = rules;
    this.#isBoth = isBoth;
  }

  /** The processes that act under `end`. */
  async presences(end: End): Promise<readonly string[]> {
    const inspected = this.#rules.stores[end].inspect(presenceKey(this.#rules.name, end));
    const { holders } = (await this.#believed(end, inspected)) ?? { holders: [] };
    return [...new Set(holders.map(({ owner }) => labelOf(owner)))];
  }

  /** Why this process must not act under `end` though no process acts under the other one. */
  async refusalOf(end: End): Promise<Refusal | undefined> {
    const other = oppositeOf(end);
    const answers = this.#register(other).then(() => true);
    if ((await this.#believed(other, answers)) === undefined) return undefined;
    const mark = await this.#register(end);
    if (mark !== undefined && !(await this.#lift(end, mark))) return { error: wasLeft(end) };
    const direct = await this.#findDirect(other);
    if (direct !== undefined) return { by: [labelOf(direct.owner)], error: heldDirectly(other, direct) };
    const { stores, runtime } = this.#rules;
    const [alone] = await findLoneHolders(stores[other], stores[end], runtime, longLease);
    return alone && { by: [labelOf(alone.owner)], error: heldAlone(other, alone) };
  }

  /**
   * Leaves a mark in the store of `end`, in place of one of before. It is unlike all others: a
   * process that is about to take another one away leaves it.
   */
  async mark(end: End): Promise<void> {
    const mark = this.#rules.runtime.uniqueId();
    const write = async (): Promise<void> => {
      let from = await this.#register(end);
      while (from !== mark) from = await this.#register(end, { from, to: mark });
    };
    await this.#believed(end, write());
  }

  /** Takes marks away where nothing is left of those who left them, while it is to be in `both`. */
  lift(): void {
    if (this.#isLifting || !this.#isBoth()) return;
    this.#isLifting = true;
    outsideContext(() => void this.#liftBoth());
  }

  async #liftBoth(): Promise<void> {
    for (const end of ends) {
      const steps = {
        read: () => this.#readMark(end),
        look: () => this.#isUnused(oppositeOf(end)),
        lift: () => this.#lift(end),
      };
      try {
        for (const step of lifting) if (!(await steps[step]())) break;
      } catch {
        // At the next look.
      }
    }
    this.#isLifting = false;
  }

  async #readMark(end: End): Promise<boolean> {
    const mark = this.#isBoth() ? await this.#register(end) : undefined;
    if (mark !== undefined && this.#isBoth()) this.#read[end] = mark;
    return mark !== undefined;
  }

  async #isUnused(end: End): Promise<boolean> {
    return (await this.presences(end)).length === 0 && (await this.#findDirect(end)) === undefined;
  }

  /** Takes `mark` away, if it is the one that it read. */
  async #lift(end: End, mark: string | undefined = this.#read[end]): Promise<boolean> {
    if (mark === undefined || mark !== this.#read[end]) return false;
    return (await this.#register(end, { from: mark, to: undefined })) === undefined;
  }

  async #findDirect(end: End): Promise<DirectHolder | undefined> {
    const [direct] = await findDirect(this.#rules.stores[end], 1, this.#direct[end]);
    this.#direct[end] = direct && [direct.key];
    return direct;
  }

  async #register(end: End, change?: RegisterChange): Promise<string | undefined> {
    const { stores, name } = this.#rules;
    return await stores[end].register?.(markRegister(name, end), change);
  }

  /** What a store says. `undefined`: it is silent, and an operator says that it is gone. */
  async #believed<T>(end: End, asked: Promise<T>): Promise<T | undefined> {
    const { runtime, memberTimeout, without } = this.#rules;
    if (without !== end) return await asked;
    let answer: T | undefined;
    const heard = asked.then((said) => (answer = said));
    await settledWithin(runtime, memberTimeout, heard);
    return answer;
  }
}

// Why a process must not act under the other end, or `end`.

function wasLeft(end: End): LockError {
  const other = oppositeOf(end);
  const why = `phase "${end}" is refused: processes went on to store "${other}", and some may use it without migrate`;
  return new LockError('LOCK_MISCONFIGURED', `migrate: ${why}. The way back is phase "both" in all processes first.`);
}

function heldDirectly(end: End, { key, owner }: DirectHolder): LockError {
  const why = `${owner} holds ${JSON.stringify(key)} in store "${end}", without migrate`;
  const message = `migrate: ${why}. Give each process that uses this store phase "both" first.`;
  return new LockError('LOCK_MISCONFIGURED', message, { key });
}

function heldAlone(end: End, holder: DirectHolder): LockError {
  const message = `migrate: ${describeLone(end, holder)}. Phase "${oppositeOf(end)}" begins after that, or when it was released.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key: holder.key });
}
