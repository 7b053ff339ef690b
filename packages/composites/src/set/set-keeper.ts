import type { RegisterChange } from '@locks/core';
import { LockError, outsideContext } from '@locks/core/adapter';
import { callMember } from '../members/member-answers.ts';
import { combinedError } from '../members/member-errors.ts';
import { callMembers } from '../members/member-states.ts';
import type { MembersHost } from '../members/member-states.ts';
import type { Member } from '../members/member.ts';
import { refusalOf } from './refusals.ts';
import { idLength, judge, mostMembers, newIn, setRegister } from './set-record.ts';
import type { Told } from './set-record.ts';

/**
 * In ms: when the members are read again after a failure, with the next call. With less, refused
 * processes load the stores. With more, they notice a change of members later.
 */
const pause = 1_000;

/** A composite, as seen by its set. */
export type SetHost = MembersHost & { readonly name: string };

/**
 * Admits the members of a composite whose registers belong to one quorum. They are read before the
 * first claim, and when a member answers after it was unreachable.
 */
export class SetKeeper {
  readonly #host: SetHost;
  /** By member: its votes count. */
  readonly #admitted: boolean[];
  /** By member: why its register is unknown. */
  readonly #failures: unknown[] = [];
  /** By member: it was not in the previous set. */
  #new: readonly boolean[] = [];
  /** Enough members were admitted once. */
  #decided = false;
  #refusal: LockError | undefined = undefined;
  #round: Promise<void> | undefined = undefined;
  /** When the next round may begin, in ms of the clock. */
  #next = -Infinity;
  #closed = false;
  readonly #ends = new Set<() => void>();

  constructor(host: SetHost) {
    this.#host = host;
    this.#admitted = host.members.map(() => false);
    for (const member of host.members) {
      member.onReturn(() => {
        this.#admitted[member.index] = false;
        this.#next = -Infinity;
      });
    }
  }

  /**
   * `undefined`: `key` may be requested now. Otherwise resolves when it may; rejects if the quorum
   * has other members, or too few answer. `renews`: it may be held already.
   */
  ready(key: string, renews = false): Promise<void> | undefined {
    if ((this.#decided && (renews || this.#refusal === undefined)) || !this.#applies) return undefined;
    return this.#read().then(() => {
      if (this.#closed) return;
      if (this.#refusal !== undefined) throw this.#refusal;
      if (this.#decided) return;
      const missing = this.#host.members.filter(({ index }) => !this.#admitted[index]);
      const failures = missing.map((member) => member.name(this.#failureOf(member), key));
      throw combinedError(this.#host, failures, key, { nothingLeft: true });
    });
  }

  /** `undefined`: the member may be asked for a vote now. Otherwise resolves when it may. */
  admit(member: Member): Promise<void> | undefined {
    if (this.#admitted[member.index] || !this.#applies) return undefined;
    return this.#read().then(() => {
      if (!this.#admitted[member.index]) throw this.#refusal ?? this.#failureOf(member);
    });
  }

  /** See `newIn`. */
  isNew({ index }: Member): boolean {
    return this.#new[index] ?? false;
  }

  close(): void {
    this.#closed = true;
    for (const end of this.#ends) end();
  }

  /** A member without registers has no id. */
  get #applies(): boolean {
    const { members } = this.#host;
    return members.length <= mostMembers && members.every(({ provider }) => provider.register !== undefined);
  }

  #failureOf({ index }: Member): unknown {
    const text = 'its register of the quorum could not be read.';
    return this.#failures[index] ?? new LockError('LOCK_UNAVAILABLE', text, { sent: false });
  }

  #read(): Promise<void> {
    const { clock } = this.#host.runtime;
    if (this.#round === undefined && clock.now() < this.#next) return Promise.resolve();
    this.#round ??= outsideContext(() => this.#go()).finally(() => {
      this.#round = undefined;
      this.#next = clock.now() + pause;
    });
    return this.#round;
  }

  async #go(): Promise<void> {
    const { members, need, runtime, name } = this.#host;
    const told: Told[] = members.map(() => undefined);
    const newId = (): string => runtime.uniqueId().slice(0, idLength);
    const enough = (): boolean => told.filter((each) => each !== undefined).length >= need;
    await this.#ask(members, told, enough);
    let verdict = judge(told, newId);
    // Each write gives a member what it lacks, or reveals what another process wrote.
    for (let [count, again] = [0, false]; enough() && count < 3 * members.length; count += 1) {
      const [write] = verdict.writes;
      if (write !== undefined) {
        await this.#ask([members[write.index] as Member], told, enough, { from: write.from, to: write.to });
      } else if (verdict.tooFew === true && !again) {
        // Members that were empty may have been asked before another process created the first set.
        again = true;
        // With their old answers, those that are slow now would not be waited for.
        told.fill(undefined);
        await this.#ask(members, told, enough);
      } else break;
      verdict = judge(told, newId);
    }
    if (!enough() || this.#closed) return;
    this.#refusal = refusalOf(name, members, told, verdict);
    if (this.#refusal !== undefined || verdict.tooFew === true) return;
    for (const [index, each] of told.entries()) {
      if (each !== undefined) this.#admitted[index] = each.text !== undefined;
    }
    this.#new = newIn(told);
    this.#decided = true;
  }

  async #ask(
    members: readonly Member[],
    told: Told[],
    isEnough: () => boolean,
    change?: RegisterChange,
  ): Promise<void> {
    const ask = async ({ index, provider }: Member): Promise<boolean> => {
      try {
        told[index] = { text: await callMember(async () => await provider.register?.(setRegister, change)) };
        return true;
      } catch (error) {
        told[index] = undefined;
        this.#failures[index] = error;
        return false;
      }
    };
    await callMembers(this.#host, members, ask, { isEnough, limit: this.#host.timeout / 2, ends: this.#ends });
  }
}
