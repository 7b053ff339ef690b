import type { MemberCall } from '../../../src/members/member-answers.ts';
import type { ClaimMachine } from '../../../src/claim/claim-machine.ts';
import type { ClaimState, MachineOptions, MachineWorld, Outcome } from '../../../src/claim/claim-state.ts';
import { mayGetVote } from '../../../src/claim/part.ts';
import type { Part } from '../../../src/claim/part.ts';
import type { Draft } from './draft.ts';
import { isOwner } from './draft.ts';
import { storeOf } from './setting.ts';
import type { Setting } from './setting.ts';
import type { Call, Contender, Return } from './world.ts';

/** The class under test, or a weaker form of it. */
export type Machine = typeof ClaimMachine;

/** What `CombinedClaim` does for the machine of one claim, in the model. */
export class ContenderWorld implements MachineWorld {
  readonly #draft: Draft;
  readonly #index: number;
  readonly #floor: number | undefined;
  readonly machine: ClaimMachine;
  readonly state: ClaimState;

  /** `floor`: what tokens of an attempt must exceed. */
  constructor(draft: Draft, index: number, machine: Machine, floor?: number) {
    this.#draft = draft;
    this.#index = index;
    this.#floor = floor;
    const { parts, ...rest } = this.#self.machine;
    this.state = { ...rest, parts: parts.map((part) => ({ ...part })) };
    draft.change(index, { machine: this.state });
    this.machine = new machine(machineOptions(draft.setting), this, this.state);
  }

  get #self(): Contender {
    return this.#draft.contender(this.#index);
  }

  now(): number {
    return this.#draft.now;
  }

  random(): number {
    return 0;
  }

  isSuspect(member: number): boolean {
    return (this.#self.suspects & (1 << member)) !== 0;
  }

  takesCall(member: number): boolean {
    return !this.isSuspect(member) || !this.#self.calls.some((call) => call.member === member && !call.orphan);
  }

  nextNumber(): number {
    return highestNumber(this.#draft, this.#index) + 1;
  }

  floor(): bigint | undefined {
    return this.#floor === undefined ? undefined : BigInt(this.#floor);
  }

  send({ member, number, brief }: Readonly<Part>, kind: MemberCall, token: bigint | undefined): void {
    const { calls } = this.#self;
    if (calls.some((call) => call.member === member && call.number === number && !call.orphan)) {
      this.#draft.blame(`two calls of one owner are on their way to member ${member}`);
    }
    const call: Call = { member, number, kind, token, brief, answer: undefined, silent: false, orphan: false };
    this.#draft.change(this.#index, { calls: [...calls, call] });
  }

  giveBack(part: Readonly<Part>, awaited: boolean): void {
    const { calls, returns } = this.#self;
    const { member, number } = part;
    const behind =
      mayGetVote(part) && calls.some((call) => call.member === member && call.number === number && !call.orphan);
    const returned: Return = { member, number, stage: behind ? 'behind' : 'sent', awaited };
    this.#draft.change(this.#index, { returns: [...returns, returned] });
  }

  settle(outcome: Outcome): void {
    const { lease } = this.#self;
    switch (outcome.kind) {
      case 'granted':
        this.#draft.granted(this.#index, { token: outcome.token, until: outcome.until });
        break;
      case 'renewed':
        // An ended lease is never valid again.
        if (lease !== undefined && this.#draft.isValid(lease)) {
          this.#draft.change(this.#index, { lease: { ...lease, until: outcome.until } });
          this.#draft.checkHolders();
        }
        break;
      case 'lost':
        this.lost();
        break;
      case 'busy':
      case 'unavailable':
      case 'refused':
        if (this.#self.stage === 'asking') {
          const polls = outcome.kind !== 'busy' || !this.machine.isInQueue;
          this.#draft.change(this.#index, { stage: 'waiting', polls });
        }
        break;
      default:
        outcome satisfies never;
    }
  }

  pause(): void {
    // `resumed` may come at any time while the machine pauses.
  }

  keep(): void {
    // `promiseOver` may come at any time after that.
  }

  look(): void {
    // Without a holder to see it would change nothing.
    if (this.#draft.hasLooks) this.#draft.change(this.#index, { looks: true });
  }

  /** What core was told stays true: its holder may believe it until then. */
  lost(): void {
    this.#draft.change(this.#index, { stage: 'lost' });
  }

  /** A member's wake reaches the process. */
  woken(member: number): void {
    if (!this.machine.woken(member)) this.#draft.change(this.#index, { woken: true });
  }
}

function machineOptions({ members, need, fencing, ttl, place, tick }: Setting): MachineOptions {
  return { members, need, fencing, ttl: ttl * tick, place: place * tick, wake: true };
}

/** The highest number that anything knows the contender's claims by. */
function highestNumber(draft: Draft, index: number): number {
  const { machine, calls, returns, wakes } = draft.contender(index);
  let highest = 0;
  const see = ({ number }: { readonly number: number }): void => {
    if (number > highest) highest = number;
  };
  machine.parts.forEach(see);
  calls.forEach(see);
  returns.forEach(see);
  wakes.forEach(see);
  for (let member = 0; member < draft.setting.members; member += 1) {
    const { hold, queue } = draft.store(storeOf(draft.setting, index, member));
    if (hold !== undefined && isOwner(hold, index, hold.number)) see(hold);
    for (const place of queue) if (place.contender === index) see(place);
  }
  return highest;
}
