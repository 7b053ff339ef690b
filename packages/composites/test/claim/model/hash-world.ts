import type { MemberAnswer } from '../../../src/members/member-answers.ts';
import type { ClaimState, Outcome } from '../../../src/claim/claim-state.ts';
import type { Part } from '../../../src/claim/part.ts';
import { isOwner } from './draft.ts';
import type { StateHash } from '../../../../core/test/search/state-table.ts';
import { areAlike, storeOf } from './setting.ts';
import { tokensOf } from './tokens-of.ts';
import type { Setting } from './setting.ts';
import type { Call, Contender, Store, World } from './world.ts';

/** Words of the states, as numbers. `undefined` is 0. */
const codes = new Map<unknown, number>();

function code(word: string | undefined): number {
  if (word === undefined) return 0;
  let known = codes.get(word);
  if (known === undefined) {
    known = codes.size + 1;
    codes.set(word, known);
  }
  return known;
}

/**
 * Adds all of a state to a hash. States are the same where contenders have changed places, where
 * other numbers make the same owners, where all happens later, and, with the newest tokens, where
 * other tokens have the same order.
 */
export function hasherOf(setting: Setting): (world: World, hash: StateHash) => void {
  const hasher = new Hasher(setting);
  return (world, hash) => hasher.run(world, hash);
}

class Hasher {
  readonly #setting: Setting;
  readonly #alike: boolean;
  #world!: World;
  #hash!: StateHash;
  /** With the newest tokens: all of them, in their order. */
  #tokens: bigint[] | undefined = undefined;
  /** The numbers of the contender's owners at each member, in their order. */
  readonly #numbers: number[][];

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#alike = areAlike(setting);
    this.#numbers = Array.from({ length: setting.members }, () => []);
  }

  run(world: World, hash: StateHash): void {
    this.#world = world;
    this.#hash = hash;
    if (this.#setting.tokens === 'newest') this.#tokens = tokensOf(world);
    const { contenders, stores, faults, highest, now } = world;
    let low = 0;
    let high = 0;
    contenders.forEach((each, index) => {
      hash.start();
      if (!this.#alike) hash.add(index);
      this.#contender(each, index);
      low = (low + hash.low) | 0;
      high = (high + hash.high) | 0;
    });
    hash.start();
    hash.add(low);
    hash.add(high);
    for (const { counter, closedUntil } of stores) {
      hash.add(Number(counter));
      hash.add(Math.max(0, closedUntil - now));
    }
    for (const left of Object.values(faults)) hash.add(left as number);
    this.#token(highest);
  }

  #contender(each: Contender, index: number): void {
    const hash = this.#hash;
    const { members } = this.#setting;
    this.#number(each, index);
    hash.add(code(each.stage) * 8 + (each.looks ? 4 : 0) + (each.woken ? 2 : 0) + (each.polls ? 1 : 0));
    hash.add(each.suspects);
    hash.add(each.leases * 64 + each.renewals * 8 + (each.repeats === Infinity ? 7 : each.repeats));
    this.#token(each.lease?.token);
    this.#left(each.lease?.until);
    if (each.stage !== 'done' && each.stage !== 'crashed') this.#machine(each.machine);
    this.#unordered(each.calls, (call) => this.#call(call));
    this.#unordered(each.returns, ({ member, number, stage, awaited }) => {
      this.#owner(member, number);
      hash.add(code(stage) * 2 + (awaited ? 1 : 0));
    });
    this.#unordered(each.wakes, ({ member, number }) => this.#owner(member, number));
    for (let member = 0; member < members; member += 1) this.#stored(index, member);
  }

  /** Collects the numbers in use at each member. */
  #number(each: Contender, index: number): void {
    for (const numbers of this.#numbers) numbers.length = 0;
    each.machine.parts.forEach(({ number }, member) => this.#see(member, number));
    for (const { member, number } of each.calls) this.#see(member, number);
    for (const { member, number } of each.returns) this.#see(member, number);
    for (const { member, number } of each.wakes) this.#see(member, number);
    this.#numbers.forEach((numbers, member) => {
      const { hold, queue } = this.#storeOf(index, member);
      if (hold?.contender === index) this.#see(member, hold.number);
      for (const place of queue) if (place.contender === index) this.#see(member, place.number);
      if (numbers.length > 1) numbers.sort((left, right) => left - right);
    });
  }

  #see(member: number, number: number): void {
    const seen = this.#numbers[member] as number[];
    if (number !== 0 && !seen.includes(number)) seen.push(number);
  }

  #storeOf(index: number, member: number): Store {
    return this.#world.stores[storeOf(this.#setting, index, member)] as Store;
  }

  /** What the member's store has of the contender. */
  #stored(index: number, member: number): void {
    const hash = this.#hash;
    const { hold, queue } = this.#storeOf(index, member);
    if (hold !== undefined && isOwner(hold, index, hold.number)) {
      this.#owner(member, hold.number);
      this.#token(hold.token);
      this.#left(hold.expires);
    } else hash.add(-1);
    queue.forEach(({ contender, number }, place) => {
      if (contender !== index) return;
      hash.add(place);
      this.#owner(member, number);
    });
  }

  #machine(machine: ClaimState): void {
    const hash = this.#hash;
    const { stage, queue, moves, returning, keptSince, outcome } = machine;
    hash.add(code(stage) * 64 + queue * 8 + moves);
    hash.add(
      (machine.askedAll ? 1 : 0) +
        (machine.waits ? 2 : 0) +
        (machine.waiting ? 4 : 0) +
        (machine.paused ? 8 : 0) +
        (machine.patient ? 16 : 0) +
        (machine.lost ? 32 : 0) +
        returning * 64,
    );
    this.#left(machine.promisedUntil);
    this.#token(machine.token);
    this.#token(machine.floor);
    this.#age(keptSince);
    this.#age(machine.lookedAt);
    this.#outcome(outcome);
    machine.parts.forEach((part, member) => this.#part(part, member));
  }

  #part(part: Part, member: number): void {
    const hash = this.#hash;
    this.#owner(member, part.number);
    hash.add(code(part.call) * 64 + code(part.heard));
    hash.add((part.late ? 1 : 0) + (part.inQueue ? 2 : 0) + (part.uncertain ? 4 : 0) + (part.brief ? 8 : 0));
    if (part.call !== undefined) this.#age(part.sentAt);
    this.#token(part.token);
    if (part.token === undefined) return;
    this.#age(part.since);
    this.#left(part.until);
  }

  #call({ member, number, kind, token, brief, answer, silent, orphan }: Call): void {
    this.#owner(member, number);
    this.#hash.add(code(kind) * 8 + (brief ? 4 : 0) + (silent ? 2 : 0) + (orphan ? 1 : 0));
    this.#token(token);
    this.#answer(answer);
  }

  #answer(answer: MemberAnswer | undefined): void {
    this.#hash.add(code(answer?.kind));
    if (answer?.kind === 'granted') this.#token(answer.token);
  }

  #outcome(outcome: Outcome | undefined): void {
    this.#hash.add(code(outcome?.kind));
  }

  #owner(member: number, number: number): void {
    const rank = number === 0 ? 0 : (this.#numbers[member]?.indexOf(number) ?? 0) + 1;
    this.#hash.add(member * 16 + rank);
  }

  #token(token: bigint | undefined): void {
    if (token === undefined) this.#hash.add(-1);
    else this.#hash.add(this.#tokens?.indexOf(token) ?? Number(token));
  }

  /** The time until a moment. All that is past is alike. */
  #left(until: number | undefined): void {
    this.#hash.add(until === undefined ? -1 : Math.max(0, until - this.#world.now));
  }

  /** How long ago it was. All that is longer ago than a ttl is alike. */
  #age(since: number | undefined): void {
    this.#hash.add(
      since === undefined ? -1 : Math.min(this.#setting.ttl * this.#setting.tick, this.#world.now - since),
    );
  }

  /** Messages that are on their way have no order. */
  #unordered<T>(items: readonly T[], add: (item: T) => void): void {
    const hash = this.#hash;
    const { low: lowBefore, high: highBefore } = hash;
    let low = 0;
    let high = 0;
    for (const item of items) {
      hash.start();
      add(item);
      low = (low + hash.low) | 0;
      high = (high + hash.high) | 0;
    }
    hash.low = lowBefore;
    hash.high = highBefore;
    hash.add(low);
    hash.add(high);
  }
}
