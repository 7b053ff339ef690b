import type { Busy, Claim, Grant, Renewal } from '@locks/core';
import { LockError, isLockError } from '@locks/core/adapter';
import { above, leavesNothing } from '@locks/core/composite';
import type { MemberHold } from '../../members/key-states.ts';
import { callMember } from '../../members/member-answers.ts';
import { SerialCalls } from '../../serial-calls.ts';
import { MigratingHold } from './migrating-hold.ts';
import type { MigrationHost } from './migration-host.ts';

/** One claim of a migration, as core calls it: it is taken in one store, or in both. */
export class MigratingClaim {
  readonly owner: string;
  readonly #host: MigrationHost;
  readonly #hold: MigratingHold;
  #wake: (() => void) | undefined = undefined;
  #stage: 'new' | 'waiting' | 'held' | 'over' = 'new';
  #attempting = false;
  readonly #serial = new SerialCalls();

  constructor(host: MigrationHost, claim: Claim) {
    this.owner = claim.owner;
    this.#host = host;
    this.#hold = new MigratingHold(host, claim, () => this.#stage === 'held');
  }

  /** It keeps this process's presence from going. */
  get usesEnd(): boolean {
    return this.#hold.countsOnEnd || (this.#hold.scope.phase !== 'both' && this.#attempting);
  }

  /** Ends it if its hold is over, and no call is under way. Gives whether it did. */
  endIfOver(): boolean {
    const { span, scope, claim } = this.#hold;
    const over = this.#stage === 'held' && this.#serial.free && span.isOver;
    if (!over || (scope.phase === 'both' && !this.#host.both.endIfOver(claim))) return false;
    // Another process may hold it under this owner, and its key may rest.
    this.#stage = 'over';
    this.#hold.follow(undefined);
    return true;
  }

  tryAcquire(claim: Claim, wake: (() => void) | undefined): Promise<Grant | Busy> {
    const { keeper } = this.#host;
    this.#wake = wake ?? this.#wake;
    return this.#oneAfterAnother(async () => {
      await keeper.begun();
      if (this.#stage === 'over') return { granted: false };
      const held = this.#stage === 'held' && this.#hold.span.lasts;
      if (!held) this.#hold.enter(keeper.scope(), this.#stage === 'new');
      this.#hold.claim = claim;
      this.#attempting = true;
      try {
        return await this.#ask(wake);
      } finally {
        this.#attempting = false;
        keeper.goOn();
      }
    });
  }

  renew(claim: Claim, token: bigint | undefined): Promise<Renewal | false> {
    return this.#oneAfterAnother(async () => {
      const { keeper } = this.#host;
      keeper.read();
      if (this.#stage !== 'held' || (token !== undefined && token < this.#hold.token)) return false;
      this.#hold.claim = claim;
      const renewed = await this.#hold.renew(token, (work) => void this.#oneAfterAnother(work).catch(() => {}));
      if (renewed === false) {
        this.#stage = 'waiting';
        this.#hold.follow(undefined);
        keeper.goOn();
      }
      return renewed;
    });
  }

  release(): Promise<boolean> {
    const begun = this.#stage !== 'new' || this.#attempting;
    const { countsOnEnd } = this.#hold;
    this.#stage = 'over';
    this.#wake = undefined;
    this.#hold.follow(undefined);
    this.#host.forget(this);
    return begun ? this.#hold.release(countsOnEnd) : Promise.resolve(false);
  }

  /** Makes core ask again, if it waits. */
  wakeUp(): void {
    if (this.#stage === 'waiting') this.#wake?.();
  }

  /** The presence of an end is over, and so is a lease that counts on it. */
  presenceLost(reason: LockError): void {
    if (this.#hold.countsOnEnd) this.#hold.lose(reason);
  }

  /** A lease that another process took, perhaps in another phase. */
  adopt(holds: readonly [MemberHold, ...MemberHold[]]): void {
    this.#stage = 'held';
    this.#hold.adopt(holds);
  }

  async #ask(wake: (() => void) | undefined): Promise<Grant | Busy> {
    const { scope, inEnd, span } = this.#hold;
    const { keeper } = this.#host;
    const heard = wake && ((): void => this.#wake?.());
    try {
      await keeper.ready(scope.phase);
      if (this.#isOver()) return { granted: false };
      const sentAt = span.now();
      const [store, claim] = inEnd.send(this.#hold.claim, scope, sentAt);
      const floored = above(keeper.floor(scope.phase), claim);
      return this.#answered(await callMember(() => store.tryAcquire(floored, heard)), sentAt);
    } catch (error) {
      if (!leavesNothing(error)) {
        inEnd.unanswered();
        if (this.#stage === 'new') this.#stage = 'waiting';
      }
      throw scope.phase === 'both' ? this.#withAdvice(error) : error;
    }
  }

  #answered(answer: Grant | Busy, sentAt: number): Grant | Busy {
    if (this.#isOver()) return answer;
    this.#hold.inEnd.answered(answer);
    if (answer.granted) {
      this.#stage = 'held';
      return this.#hold.granted(answer, sentAt);
    }
    // Without a wake nothing is left of it.
    this.#stage = this.#wake === undefined ? 'new' : 'waiting';
    return answer;
  }

  #withAdvice(error: unknown): unknown {
    const { advice } = this.#host.keeper;
    if (advice === undefined || !isLockError(error, 'LOCK_UNAVAILABLE')) return error;
    const { key = this.#hold.claim.key, cause = error, sent, retryAfter } = error;
    return new LockError(error.code, `${error.message} ${advice}`, { key, cause, sent, retryAfter });
  }

  #isOver(): boolean {
    return this.#stage === 'over';
  }

  #oneAfterAnother<T>(work: () => Promise<T>): Promise<T> {
    return this.#serial.run(work, () => {
      if (this.#stage === 'new') this.#host.forget(this);
    });
  }
}
