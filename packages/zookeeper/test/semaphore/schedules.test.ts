import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeEntry } from '../../src/semaphore/entry.ts';
import type { Entry, SemaphoreState } from '../../src/semaphore/entry.ts';

const permits = 2;

type Kind = 'shared' | 'exclusive' | 'curator';
type Rule = typeof judgeEntry;

/** The nodes, and parties that take their steps in any order; each step is one request. */
class Semaphore {
  readonly parties: Party[] = [];
  locks: SemaphoreState['locks'] = [];
  leases: SemaphoreState['leases'] = [];
  /** Counts changes of `leases`. */
  changes = 0;
  #next = 0;

  takePlace(party: Party): void {
    this.#next += 1;
    const sharing = party.kind === 'shared';
    const place = { name: party.name, sequence: this.#next, mode: sharing ? 'shared' : 'exclusive' } as const;
    this.locks = [...this.locks, sharing ? { ...place, permits } : place];
  }

  leavePlace({ name }: Party): void {
    this.locks = this.locks.filter((place) => place.name !== name);
  }

  addLease({ name }: Party): void {
    this.leases = [...this.leases, { name }];
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
    expect(holders.length).toBeLessThanOrEqual(permits);
    if (holders.some(({ kind }) => kind === 'exclusive')) expect(holders).toHaveLength(1);
  }

  /** When all who do not hold sleep, none of them may enter. */
  checkSleepers(): void {
    for (const { name, kind, holds } of this.parties) {
      if (holds || kind === 'curator' || !this.has(`locks/${name}`)) continue;
      expect(judgeEntry(this, name, kind === 'shared' ? { mode: kind, permits } : { mode: kind }).state).toBe('waits');
    }
  }
}

interface Party {
  readonly name: string;
  readonly kind: Kind;
  readonly holds: boolean;
  readonly ended: boolean;
  /** Whether it is not asleep. */
  ready(): boolean;
  step(): void;
  /** Its session ends. */
  die(): void;
}

function join(semaphore: Semaphore, kind: Kind, rule: Rule): void {
  const name = `n${semaphore.parties.length}`;
  let holds = false;
  let ended = false;
  let ready = (): boolean => true;
  const steps = kind === 'curator' ? curator() : node(kind);
  const party: Party = {
    name,
    kind,
    get holds() {
      return holds;
    },
    get ended() {
      return ended;
    },
    ready: () => !ended && ready(),
    step() {
      ready = () => true;
      ended = steps.next().done === true;
      if (ended) party.die();
    },
    die() {
      holds = false;
      ended = true;
      semaphore.leavePlace(party);
      semaphore.removeLease(party);
    },
  };
  semaphore.parties.push(party);

  function* node(mode: 'shared' | 'exclusive'): Generator<void, void> {
    semaphore.takePlace(party);
    for (;;) {
      yield;
      const entry: Entry = rule(semaphore, name, mode === 'shared' ? { mode, permits } : { mode });
      if (entry.state === 'enters') break;
      if (entry.state !== 'waits') throw new Error(entry.state);
      const { watch } = entry;
      ready = () => watch.some((path) => !semaphore.has(path));
    }
    yield;
    if (mode === 'shared') {
      semaphore.leavePlace(party);
      semaphore.addLease(party);
    }
    holds = true;
    yield;
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
    yield;
    semaphore.addLease(party);
    for (;;) {
      yield;
      if (semaphore.leases.length <= permits) break;
      const seen = semaphore.changes;
      ready = () => semaphore.changes > seen;
    }
    holds = true;
    yield;
    semaphore.leavePlace(party);
    yield;
  }
}

const moves = fc.array(
  fc.tuple(fc.constantFrom('shared', 'exclusive', 'curator', 'step', 'step', 'step', 'die'), fc.nat()),
  {
    maxLength: 80,
  },
);

function play(rule: Rule, runs: number): void {
  fc.assert(
    fc.property(moves, (plan) => {
      const semaphore = new Semaphore();
      for (const [move, which] of plan) {
        const chosen =
          move === 'die'
            ? semaphore.parties.filter((party) => !party.ended)
            : semaphore.parties.filter((party) => party.ready());
        const party = chosen[which % chosen.length];
        if (move === 'step') party?.step();
        else if (move === 'die') party?.die();
        else join(semaphore, move, rule);
        semaphore.check();
      }
      // Holders that came last leave first: nobody must sleep on because the others stay.
      for (;;) {
        const awake = semaphore.parties.filter((party) => party.ready());
        const party = awake.find((one) => !one.holds) ?? awake.at(-1);
        if (party === undefined) break;
        if (party.holds) semaphore.checkSleepers();
        party.step();
        semaphore.check();
      }
      expect(semaphore.parties.filter((one) => !one.ended)).toEqual([]);
      expect([semaphore.locks, semaphore.leases]).toEqual([[], []]);
    }),
    { numRuns: runs },
  );
}

test('beside Curator, dying at any moment: never more inside than may be, and everybody gets in', () => {
  play(judgeEntry, 1_000);
});

test('what the rule needs: to be first, to count all, to watch enough', () => {
  const early: Rule = ({ leases }, own, claim) =>
    judgeEntry({ locks: [{ name: own, sequence: 1, mode: 'exclusive' }], leases }, own, claim);
  const blind: Rule = ({ locks, leases }, own, claim) => judgeEntry({ locks, leases: leases.slice(1) }, own, claim);
  const oneWatch: Rule = (state, own, claim) => {
    const entry = judgeEntry(state, own, claim);
    return entry.state === 'waits' ? { ...entry, watch: entry.watch.slice(0, 1) } : entry;
  };
  for (const rule of [early, blind, oneWatch]) expect(() => play(rule, 1_000)).toThrow('Property failed');
});
