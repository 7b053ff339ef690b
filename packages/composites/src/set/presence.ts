import type { Claim } from '@locks/core';
import type { Runtime } from '@locks/core/adapter';
import { certain, isAnswer, setKey } from '@locks/core/composite';
import { callMember } from '../members/member-answers.ts';
import { memberOwner, outerOwner } from '../members/member.ts';
import type { Member } from '../members/member.ts';
import { readStoreId } from '../members/store-id.ts';
import { idLength, readOwner } from './store-set.ts';
import type { Announced } from './store-set.ts';

interface Hold {
  readonly claim: Claim;
  /** When it was last asked for, in ms of the clock. */
  readonly at: number;
  readonly answer: Promise<unknown>;
  /** A call of it was not answered. */
  uncertain: boolean;
}

/** What one member has of this process: a shared hold, which is repeated while it is in use. */
export class Presence {
  readonly member: Member;
  /** Of the hold, if there is one. */
  token: bigint | undefined = undefined;
  /** The others that it told of after the hold began. */
  seen: readonly Announced[] | undefined = undefined;
  /** Why the last step failed. */
  failure: unknown = undefined;
  /** A step is under way. */
  busy = false;
  readonly #runtime: Runtime;
  #id: string | undefined = undefined;
  #hold: Hold | undefined = undefined;
  #until = -Infinity;
  #lost: AbortSignal | undefined = undefined;

  constructor(member: Member, runtime: Runtime) {
    this.member = member;
    this.#runtime = runtime;
  }

  /** The id of its store, as owners of presences have it. `undefined`: it did not tell it yet. */
  get store(): string | undefined {
    return this.#id?.slice(0, idLength);
  }

  /** Until then it is certain, in ms of the clock, where others were looked for since it began. */
  get until(): number {
    return this.seen === undefined || this.#lost?.aborted ? -Infinity : this.#until;
  }

  /** Whether `step` succeeds. */
  async take(step: (presence: Presence) => Promise<void>): Promise<boolean> {
    this.busy = true;
    try {
      await step(this);
      this.failure = undefined;
    } catch (error) {
      this.failure = error;
    }
    this.busy = false;
    return this.failure === undefined;
  }

  /** `restore`: the store is to have the id that it had. It may be back without its data. */
  async identify(restore: boolean): Promise<void> {
    this.#id = await readStoreId(this.member.provider, this.#runtime, restore ? this.#id : undefined);
  }

  /** Takes the hold, or repeats it, and looks for others after that. */
  async announce(outer: string, ttl: number): Promise<void> {
    await this.#take({ key: setKey, owner: memberOwner(outer, this.member.index), ttl, mode: 'shared' });
    await this.look();
  }

  async look(): Promise<void> {
    const { holders } = await this.member.provider.inspect(setKey);
    const own = this.#hold?.claim.owner;
    this.seen = holders.flatMap(({ owner, token }) => {
      const told = owner === own ? undefined : readOwner(owner);
      return told === undefined ? [] : { ...told, owner: outerOwner(owner), token };
    });
  }

  /** Gives the hold back, in the background. */
  withdraw(): void {
    this.#release(this.#hold);
    this.#hold = undefined;
    this.token = undefined;
    this.seen = undefined;
  }

  async #take(claim: Claim): Promise<void> {
    const before = this.#hold;
    const isRepeat = before?.claim.owner === claim.owner;
    const at = this.#runtime.clock.exact();
    const answer = callMember(() => this.member.provider.tryAcquire(claim));
    const hold: Hold = { claim, at, answer, uncertain: true };
    this.#hold = hold;
    try {
      const grant = await answer;
      if (this.#hold !== hold) throw new Error('its presence was withdrawn.');
      if (!isAnswer(grant) || !grant.granted) throw new Error(`its key ${setKey} is not free.`);
      hold.uncertain = isRepeat && before.uncertain;
      // What was seen before a hold began does not count for it.
      if (grant.token !== this.token) this.seen = undefined;
      this.token = grant.token;
      this.#lost = grant.lost;
      // A hold of a session ends with it, as all leases of this process do there.
      this.#until = grant.lost === undefined ? at + certain(grant.validity ?? claim.ttl) : Infinity;
    } finally {
      if (!isRepeat) this.#release(before);
    }
  }

  #release(hold: Hold | undefined): void {
    if (hold === undefined) return;
    const { claim, at: lastSend, answer: inFlight, uncertain } = hold;
    this.member.releases.start({ claim, inFlight, uncertain, lastSend });
  }
}
