import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeEntry } from '../../../src/recipes/semaphore/judge.ts';
import type { Entry, SemaphoreState } from '../../../src/recipes/semaphore/judge.ts';
import { isAmongFirst } from '../../../src/recipes/semaphore/leases.ts';

type Kind = 'shared' | 'exclusive' | 'curator';
type Rule = typeof judgeEntry;
type Count = typeof isAmongFirst;

/** The nodes, and parties that take their steps in any order; each step is one request. */
class Semaphore {
  readonly permits: number;
  readonly parties: Party[] = [];
  locks: SemaphoreState['locks'] = [];
  leases: SemaphoreState['leases'] = [];
  /** Counts changes of `leases`. */
  changes = 0;
  #next = 0;

  constructor(permits: number) {
    this.permits = permits;
  }

  takePlace(party: Party): void {
    this.#next += 1;
    const sharing = party.kind === 'shared';
    const place = { name: party.name, sequence: this.#next, mode: sharing ? 'shared' : 'exclusive' } as const;
    this.locks = [...this.locks, sharing ? { ...place, permits: this.permits } : place];
  }

  leavePlace({ name }: Party): void {
    this.locks = this.locks.filter((place) => place.name !== name);
  }

  addLease({ name }: Party): void {
    this.#next += 1;
    this.leases = [...this.leases, { name, sequence: this.#next }];
    this.changes += 1;
  }

  removeLease({ name }: Party): void {
    const before = this.leases.length;
    this.leases = this.leases.filter((lease) => lease.name !== name);
    if (this.leases.length < before) this.changes += 1;
  }

  has(path: string): boolean {
    const [folder, name] = path.split('/');
    return (folder === 'locks' ? this.locks : this.leases).some((node) => node.name === name);
  }

  check(): void {
    const holders = this.parties.filter((party) => party.holds);
    expect(holders.length).toBeLessThanOrEqual(this.permits);
    if (holders.some(({ kind }) => kind === 'exclusive')) expect(holders).toHaveLength(1);
  }

  wish(mode: 'shared' | 'exclusive'): Parameters<Rule>[2] {
    return mode === 'shared' ? { mode, permits: this.permits } : { mode };
  }

  /** When all waiters sleep, none of them may enter. */
  checkSleepers(): void {
    for (const { name, kind, holds } of this.parties) {
      if (holds || kind === 'curator' || !this.has(`locks/${name}`)) continue;
      expect(judgeEntry(this, name, this.wish(kind)).state).toBe('waits');
    }
  }
}

interface Party {
  readonly name: string;
  readonly kind: Kind;
  holds: boolean;
  ended: boolean;
  /** It is first in the queue, and will make its lease next. */
  isBetween: boolean;
  /** Whether it is not asleep. */
  ready(): boolean;
  step(): void;
  /** Its session ends. */
  die(): void;
  /** Its session ends while it is paused; it goes on in the next session. */
  expire(): void;
}

function join(semaphore: Semaphore, kind: Kind, rule: Rule, count: Count): void {
  const name = `n${semaphore.parties.length}`;
  let ready = (): boolean => true;
  const steps = kind === 'curator' ? curator() : node(kind);
  const party: Party = {
    name,
    kind,
    holds: false,
    ended: false,
    isBetween: false,
    ready: () => !party.ended && ready(),
    step() {
      ready = () => true;
      if (steps.next().done === true) party.die();
    },
    die() {
      Object.assign(party, { holds: false, ended: true, isBetween: false });
      semaphore.leavePlace(party);
      semaphore.removeLease(party);
    },
    expire: () => semaphore.leavePlace(party),
  };
  semaphore.parties.push(party);

  function* node(mode: 'shared' | 'exclusive'): Generator<void, void> {
    semaphore.takePlace(party);
    for (;;) {
      yield;
      const entry: Entry = rule(semaphore, name, semaphore.wish(mode));
      if (entry.state === 'enters') {
        yield;
        if (mode === 'exclusive' || (yield* takeLease())) break;
        semaphore.takePlace(party);
        continue;
      }
      if (entry.state !== 'waits') throw new Error(entry.state);
      const { watch } = entry;
      ready = () => watch.some((path) => !semaphore.has(path));
    }
    party.holds = true;
    yield;
  }

  /** Whether the lease was kept. */
  function* takeLease(): Generator<void, boolean> {
    semaphore.leavePlace(party);
    semaphore.addLease(party);
    yield;
    if (count(semaphore.leases, name, semaphore.permits)) return true;
    yield;
    semaphore.removeLease(party);
    yield;
    return false;
  }

  /** As InterProcessSemaphoreV2 does it. */
  function* curator(): Generator<void, void> {
    semaphore.takePlace(party);
    for (;;) {
      yield;
      const index = semaphore.locks.findIndex((place) => place.name === name);
      const previous = semaphore.locks[index - 1];
      if (previous === undefined) break;
      ready = () => !semaphore.has(`locks/${previous.name}`);
    }
    party.isBetween = true;
    yield;
    party.isBetween = false;
    semaphore.addLease(party);
    for (;;) {
      yield;
      if (semaphore.leases.length <= semaphore.permits) break;
      const seen = semaphore.changes;
      ready = () => semaphore.changes > seen;
    }
    party.holds = true;
    yield;
    semaphore.leavePlace(party);
    yield;
  }
}

const kinds = ['shared', 'curator'] as const;
const steps = ['step', 'step', 'step', 'die'] as const;
type Move = Kind | (typeof steps)[number] | 'expire';
/**
 * An exclusive claim has no lease that Curator could count. So beside it a session of Curator ends
 * only with its process.
 */
const moves = fc.constantFrom<readonly Move[]>([...kinds, ...steps, 'exclusive'], [...kinds, ...steps, 'expire']);
const plans = moves.chain((among) => fc.array(fc.tuple(fc.constantFrom(...among), fc.nat()), { maxLength: 80 }));

/** A paused Curator, whose place has expired, makes its lease between our look and our lease. */
const lateLease: readonly (readonly [Move, number])[] = [
  ['curator', 0],
  ['step', 0],
  ['step', 0],
  ['expire', 0],
  ['shared', 0],
  ['step', 1],
  ['step', 1],
  ['step', 0],
  ['step', 0],
  ['step', 1],
  ['step', 1],
];

function play(runs: number, rule: Rule, count: Count = isAmongFirst): void {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 }), plans, (permits, plan) => {
      const semaphore = new Semaphore(permits);
      for (const [move, which] of plan) {
        const chosen = semaphore.parties.filter((party) => {
          if (move === 'die') return !party.ended;
          return move === 'expire' ? party.isBetween : party.ready();
        });
        const party = chosen[which % chosen.length];
        if (move === 'step' || move === 'die' || move === 'expire') party?.[move]();
        else join(semaphore, move, rule, count);
        semaphore.check();
      }
      // Holders that came last leave first: no waiter must sleep on because the others stay.
      for (let turns = 0; ; turns += 1) {
        expect(turns).toBeLessThan(10_000);
        const awake = semaphore.parties.filter((party) => party.ready());
        const party = awake.find((one) => !one.holds) ?? awake.at(-1);
        if (party === undefined) {
          const [stuck, another] = semaphore.parties.filter(
            ({ name, kind, holds }) => kind === 'curator' && !holds && semaphore.has(`leases/${name}`),
          );
          if (another === undefined) break;
          // Two of Curator's may wait for each other's lease, until one gives up.
          stuck?.die();
          continue;
        }
        if (party.holds) semaphore.checkSleepers();
        party.step();
        semaphore.check();
      }
      expect(semaphore.parties.filter((one) => !one.ended)).toEqual([]);
      expect([semaphore.locks, semaphore.leases]).toEqual([[], []]);
    }),
    { numRuns: runs, examples: [[1, [...lateLease]]] },
  );
}

test('beside Curator, dying or expiring at any moment: never more holders than permits, and all claims get in', () => {
  play(2_000, judgeEntry);
});

test('what the rule needs: to be first, to count all before and after, to watch enough', () => {
  const early: Rule = ({ leases }, own, claim) =>
    judgeEntry({ locks: [{ name: own, sequence: 1, mode: 'exclusive' }], leases }, own, claim);
  const blind: Rule = ({ locks, leases }, own, claim) => judgeEntry({ locks, leases: leases.slice(1) }, own, claim);
  const oneWatch: Rule = (state, own, claim) => {
    const entry = judgeEntry(state, own, claim);
    return entry.state === 'waits' ? { ...entry, watch: entry.watch.slice(0, 1) } : entry;
  };
  for (const rule of [early, blind, oneWatch]) {
    expect(() => play(2_000, rule, () => true)).toThrow('Property failed');
  }
  expect(() => play(1, judgeEntry, () => true)).toThrow('Property failed');
});
