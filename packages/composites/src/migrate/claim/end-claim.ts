import type { Busy, Claim, Grant, LockProvider } from '@locks/core';
import { above } from '@locks/core/composite';
import type { KeptHold } from '../../claim/combined-claim.ts';
import type { MemberHold } from '../../members/key-states.ts';
import { memberOwner } from '../../members/member.ts';
import { keepsPlace } from '../decisions.ts';
import type { Scope } from '../decisions.ts';
import { ends } from '../phase.ts';
import type { End } from '../phase.ts';
import type { MigrationHost } from './migration-host.ts';

/** What the store of an end has of a claim, under an owner of its own. */
export class EndClaim {
  readonly #host: MigrationHost;
  /** As core knows the claim. */
  readonly #outer: string;
  #owner: string | undefined = undefined;
  /** Higher than the lease's where the lease was carried there. */
  #token = 0n;
  /** Each attempt was answered. */
  #clean = true;
  #lastSend = 0;

  constructor(host: MigrationHost, outer: string) {
    this.#host = host;
    this.#outer = outer;
  }

  /** Attempts begin under `scope`: what it has under another one goes back, but its place. */
  enter(before: Scope, scope: Scope, claim: Claim): void {
    const { both } = this.#host;
    const keeps = keepsPlace(before, scope, this.#clean);
    if (before.phase === 'both') {
      this.#owner = keeps ? both.forget(claim)?.surrenderPlace() : undefined;
      if (!keeps) both.forget(claim)?.surrender();
      return;
    }
    if (keeps && scope.phase !== 'both') return;
    if (this.#owner !== undefined) {
      if (keeps) both.adopt(claim).adoptPlace(this.#owner, this.#lastSend, !this.#clean);
      else this.#giveBack(claim, this.#owner, before.phase);
    }
    this.#owner = undefined;
  }

  /** An attempt or a renewal is sent. Gives the store of `scope`, and the claim as it is there. */
  send(claim: Claim, scope: Scope, sentAt: number): readonly [LockProvider, Claim] {
    this.#lastSend = sentAt;
    if (scope.phase !== 'both') this.#owner ??= this.newOwner();
    return this.target(claim, scope);
  }

  target(claim: Claim, { phase, floor }: Scope): readonly [LockProvider, Claim] {
    if (phase === 'both') return [this.#host.both, claim];
    return [this.#host.stores[phase], above(floor, { ...claim, owner: this.#owner ?? this.#outer })];
  }

  answered(answer: Grant | Busy): void {
    this.#clean = true;
    if (answer.granted) this.#token = answer.token;
  }

  unanswered(): void {
    this.#clean = false;
  }

  raise(token: bigint): void {
    if (token > this.#token) this.#token = token;
  }

  /** The end's store has this hold. `undefined`: it has none of the lease with this token. */
  take(hold: Pick<KeptHold, 'owner' | 'token'> | undefined, token: bigint): void {
    this.#owner = hold?.owner ?? this.newOwner();
    this.#token = hold?.token ?? token;
  }

  /** As a member of both stores as one has it. */
  hold(end: End, { mode }: Claim, lost: AbortSignal | undefined): MemberHold {
    const holder = { owner: this.#outer, mode, token: this.#token };
    return { member: ends.indexOf(end), owner: this.#owner ?? '', holder, lost };
  }

  newOwner(): string {
    return memberOwner(this.#outer, this.#host.both.nextNumber());
  }

  #giveBack(claim: Claim, owner: string, end: End): void {
    const uncertain = !this.#clean;
    const lastSend = this.#lastSend;
    this.#host.both.members[ends.indexOf(end)]?.releases.start({
      claim: { ...claim, owner },
      uncertain,
      inLine: true,
      lastSend,
    });
    this.#clean = true;
  }
}
