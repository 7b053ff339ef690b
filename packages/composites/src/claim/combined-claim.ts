import type { Busy, Claim, Grant, Renewal } from '@locks/core';
import type { LockError } from '@locks/core/adapter';
import { schedule } from '@locks/core/composite';
import type { ClaimMachine } from './claim-machine.ts';
import { isHeld } from './claim-state.ts';
import type { Change, Outcome } from './claim-state.ts';
import type { ClaimHost, HostedClaim } from './claim-host.ts';
import { MemberCalls } from './member-calls.ts';
import type { MemberHold } from '../members/key-states.ts';
import { readStates } from '../members/member-states.ts';
import { tooFewAnswers } from './too-few-answers.ts';
import { ReleaseRound } from './release-round.ts';
import { SerialCalls } from '../serial-calls.ts';

/** What one member has of a claim: under this owner, in this session. */
export interface KeptHold {
  readonly owner: string;
  readonly lost: AbortSignal | undefined;
}

/** One claim of a composite, as core calls it. */
export class CombinedClaim implements HostedClaim {
  readonly key: string;
  readonly owner: string;
  readonly #host: ClaimHost;
  readonly #calls: MemberCalls;
  readonly #machine: ClaimMachine;
  readonly #serial = new SerialCalls();
  /** Core gave it up. */
  #released = false;

  constructor(host: ClaimHost, claim: Claim) {
    this.#host = host;
    this.#calls = new MemberCalls(host, claim, this);
    this.#machine = this.#calls.machine;
    this.key = claim.key;
    this.owner = claim.owner;
  }

  get held(): boolean {
    return isHeld(this.#machine.state);
  }

  get waiting(): boolean {
    return this.#machine.state.waiting;
  }

  /** No call is in flight, and the members have nothing of it. */
  get isEmpty(): boolean {
    return this.#serial.free && this.#calls.releasing?.pending !== true && this.#machine.isEmpty;
  }

  /** Ends it if no member holds it, and no call is in flight. Returns whether it did. */
  endIfOver(): boolean {
    const now = this.#calls.now();
    const { parts } = this.#machine.state;
    const over = this.held && this.#serial.free && parts.every(({ until }) => until <= now);
    if (!over) return false;
    // Another process may hold them under these owners. A session keeps its hold until a release.
    for (const { index, provider } of this.#host.members) if (provider.traits.expiry !== 'session') this.#leave(index);
    this.surrender();
    return true;
  }

  tryAcquire(claim: Claim, wake: (() => void) | undefined): Promise<Grant | Busy> {
    // Core's promised time counts from its call.
    const calledAt = this.#calls.now();
    this.#calls.wake = wake ?? this.#calls.wake;
    return this.#oneAfterAnother(async () => {
      const ready = this.#host.ready(claim.key);
      if (ready !== undefined) await ready;
      // Nothing may be requested for a claim after its release.
      if (this.#released) return { granted: false };
      const before = this.#calls.claim;
      const change = changeOf(before, claim);
      this.#calls.claim = claim;
      const attempt = (): Promise<Outcome> =>
        this.#calls.run(() => this.#machine.attempt(wake !== undefined, this.#host.isCrowded(claim.key), change));
      let outcome = await attempt();
      // It was held and is lost: it attempts as a new one, unless core has given it up meanwhile.
      if (outcome.kind === 'lost' && !this.#released) outcome = await attempt();
      switch (outcome.kind) {
        case 'granted':
        case 'renewed':
          return this.#grant(outcome.until - calledAt);
        case 'busy': {
          const { retryAfter } = outcome;
          // The claim with the missing vote may find too few members, too.
          const { members, need } = this.#host;
          if (members.filter(({ answers }) => answers).length < need) await readStates(this.#host, this.key);
          if (retryAfter === undefined) return { granted: false };
          // No member can wake a claim without a position in a queue.
          if (wake !== undefined && !this.#machine.isInQueue) {
            schedule(this.#host.timers, this.#calls.now() + retryAfter, () => this.#calls.wake?.());
          }
          return { granted: false, retryAfter };
        }
        case 'lost':
          return { granted: false };
        default:
          // It holds what it held before.
          if (change !== undefined && this.held) this.#calls.claim = before;
          throw this.#error(outcome);
      }
    });
  }

  renew(claim: Claim, token: bigint | undefined): Promise<Renewal | false> {
    const calledAt = this.#calls.now();
    return this.#oneAfterAnother(async () => {
      const { state } = this.#machine;
      if (!this.held || (token !== undefined && token < state.token)) return false;
      const change = changeOf(this.#calls.claim, claim);
      this.#calls.claim = claim;
      const outcome = await this.#calls.run(() => this.#machine.renew(token, change));
      if (outcome.kind === 'renewed') return { validity: Math.max(0, outcome.until - calledAt) };
      if (outcome.kind === 'lost') return outcome.renewed && { validity: 0 };
      throw this.#error(outcome);
    });
  }

  /** All releases of one owner are one: the first call gets its answer. */
  release(): Promise<boolean> {
    this.#released = true;
    this.#calls.wake = undefined;
    const { releasing } = this.#calls;
    if (releasing !== undefined) return releasing.result.then(() => false);
    if (!this.#machine.forsake()) {
      this.#host.changed(this);
      return Promise.resolve(false);
    }
    const hold = { held: this.held, ended: this.#machine.isOver };
    const round = new ReleaseRound(hold, this.#host, this.#calls.claim);
    this.#calls.release(round);
    return round.result;
  }

  /** Its provider closes: what is not part of a hold is returned, and an attempt rejects. */
  close(error: LockError): void {
    this.#machine.close();
    if (!this.held) this.#calls.settle({ kind: 'refused', error });
  }

  /** Makes core attempt again, if it waits. */
  wakeUp(): void {
    this.#calls.wake?.();
  }

  /** A lease that was found in the members. */
  adopt(holds: readonly MemberHold[]): void {
    this.#calls.adopt(holds);
  }

  /**
   * Returns everything but the hold of member `kept` to the members, drops the claim, and returns
   * that hold.
   */
  surrender(kept?: number): KeptHold | undefined {
    const hold = kept === undefined ? undefined : this.#leave(kept);
    this.release().catch(() => {});
    return hold;
  }

  #leave(kept: number): KeptHold | undefined {
    const part = this.#machine.part(kept);
    if (part.token === undefined) return undefined;
    const lost = this.#calls.sessions.unfollow(kept);
    this.#machine.leave(kept);
    return { owner: this.#calls.ownerAt(part), lost };
  }

  #grant(validity: number): Grant {
    const { sessions } = this.#calls;
    const granted = { granted: true, token: this.#machine.state.token, validity: Math.max(0, validity) } as const;
    return sessions.none ? granted : { ...granted, lost: sessions.lost };
  }

  #error(outcome: Outcome): Error {
    if (outcome.kind === 'refused') return outcome.error as Error;
    return tooFewAnswers(this.#host, this.#machine.state.parts, this.#calls.claim, this.#machine.isEmpty);
  }

  #oneAfterAnother<T>(work: () => Promise<T>): Promise<T> {
    return this.#serial.run(work, () => this.#host.changed(this));
  }
}

function changeOf(before: Claim, after: Claim): Change {
  if (after.mode !== before.mode) return 'mode';
  return after.ttl === before.ttl ? undefined : 'ttl';
}
