import { createLocks, createMemoryProvider, isLockError } from '../../src/index.ts';
import type { Lease, LockProvider, Locks, Mode } from '../../src/index.ts';
import { MemoryStorage } from '../../src/memory/store.ts';
import { createRandom } from '../../src/testing/random.ts';
import { createVirtualRuntime } from '../../src/testing/virtual-runtime.ts';
import type { VirtualRuntime } from '../../src/testing/virtual-runtime.ts';
import { Link, calm, slow, stormy } from '../schedules/link.ts';
import type { Flaw, World } from '../schedules/world.ts';

export const ttl = 300;
const waiterTtl = 400;

/** One process on the store, behind a network of its own. */
export interface Process {
  readonly name: string;
  readonly runtime: VirtualRuntime;
  readonly link: Link;
  readonly locks: Locks;
  dead: boolean;
}

/** What a lease covers of one key. */
export interface Part {
  readonly key: string;
  readonly mode: Mode;
  readonly count?: number;
  readonly permits?: number;
}

/** What processes do with one kind of object, one step of it. The last step ends it. */
export type Scenario = (world: ObjectWorld) => { step(process: Process): void; end?(): Promise<void> };

interface Entry {
  readonly process: Process;
  readonly lease: Lease;
  readonly parts: () => readonly Part[];
}

interface Call {
  readonly label: string;
  readonly process: Process;
}

/** What may come of a call in a world where anything is lost. */
const usual = ['LOCK_UNAVAILABLE', 'LOCK_LOST', 'LOCK_TIMEOUT'];

/** Several processes that use objects on one store, in virtual time, from one seed. */
export class ObjectWorld {
  readonly store: VirtualRuntime = createVirtualRuntime();
  readonly memory: MemoryStorage = new MemoryStorage({ runtime: this.store, waiterTtl });
  readonly random: () => number;
  readonly processes: readonly Process[];
  /** Everything that happened, one line each: the same for the same seed. */
  readonly log: string[] = [];
  readonly problems: string[] = [];
  /** What the store granted, in this order: by owner, the last time. */
  readonly grants = new Map<string, { readonly key: string; readonly at: number; readonly token: bigint }>();
  readonly #entries = new Set<Entry>();
  readonly #calls = new Set<Call>();
  #count = 0;

  constructor(seed: number, flaw: Flaw = {}) {
    this.random = createRandom(seed);
    const weather = this.pick([calm, slow, stormy]);
    this.processes = [0, 1, 2].map((index): Process => {
      const runtime = createVirtualRuntime({ with: this.store, seed: this.integer(2 ** 31) });
      const memory = createMemoryProvider({ store: this.memory });
      // A flaw looks at nothing but the memory of its world.
      const server = this.#noting(flaw.server?.(memory, this as unknown as World) ?? memory);
      const link = new Link(server, weather, this.store, runtime, this.random);
      const provider = flaw.client?.(link, runtime) ?? link;
      const name = `p${index}`;
      const locks = createLocks(provider, { runtime, label: name, ttl, findDeadlocks: true });
      return { name, runtime, link, locks, dead: false };
    });
  }

  get alive(): readonly Process[] {
    return this.processes.filter(({ dead }) => !dead);
  }

  integer(below: number): number {
    return Math.floor(this.random() * below);
  }

  pick<T>(some: readonly T[]): T {
    return some[this.integer(some.length)] as T;
  }

  note(line: string): void {
    this.log.push(`${this.store.time} ${line}`);
  }

  report(problem: string): void {
    this.problems.push(`at ${this.store.time}: ${problem}`);
    this.note(`PROBLEM ${problem}`);
  }

  /** Ms on the clock of `process`; never, if it dies before. */
  pause({ runtime }: Process, ms: number): Promise<void> {
    return new Promise((resolve) => runtime.setTimer(resolve, ms, false));
  }

  /** Follows a call that must end, and what it rejects with. */
  call(
    process: Process,
    what: string,
    run: (label: string) => Promise<unknown>,
    expected: readonly string[] = usual,
  ): void {
    const label = `${process.name}#${(this.#count += 1)} ${what}`;
    const call: Call = { label, process };
    this.#calls.add(call);
    this.note(label);
    const ended = (how: string): void => {
      if (!process.dead) this.note(`${label}: ${how}`);
      this.#calls.delete(call);
    };
    run(label).then(
      () => ended('done'),
      (error: unknown) => {
        const code = isLockError(error) ? error.code : String(error);
        ended(code);
        if (!expected.includes(code) && !process.dead) this.report(`${label} failed with ${code}`);
      },
    );
  }

  /** Runs `work` while `lease`, which was just granted, counts as held: as long as it says so. */
  async under<T>(process: Process, lease: Lease, parts: () => readonly Part[], work: () => Promise<T>): Promise<T> {
    const entry: Entry = { process, lease, parts };
    this.#entries.add(entry);
    this.note(`${process.name} holds ${lease.owner}`);
    this.look();
    try {
      return await work();
    } finally {
      this.look();
      this.#entries.delete(entry);
    }
  }

  /** No two leases that say they are held exclude each other. */
  look(): void {
    const byKey = new Map<string, { readonly owner: string; readonly part: Part }[]>();
    for (const { process, lease, parts } of this.#entries) {
      if (process.dead || !lease.held) continue;
      for (const part of parts()) {
        const others = byKey.get(part.key) ?? [];
        byKey.set(part.key, [...others, { owner: lease.owner, part }]);
      }
    }
    for (const [key, holds] of byKey) {
      const names = holds.map(({ owner }) => owner).join(' and ');
      if (holds.length > 1 && holds.some(({ part }) => part.mode === 'exclusive')) this.report(`${names} hold ${key}`);
      const shares = holds.reduce((sum, { part }) => sum + (part.count ?? 1), 0);
      // Beside a larger number a smaller one has waited for its turn.
      const permits = Math.max(...holds.map(({ part }) => part.permits ?? Infinity));
      if (shares > permits) this.report(`${names} have ${shares} of ${permits} permits of ${key}`);
    }
  }

  #noting(server: LockProvider): LockProvider {
    return {
      name: server.name,
      traits: server.traits,
      tryAcquire: async (claim, wake) => {
        const answer = await server.tryAcquire(claim, wake);
        const { key, owner } = claim;
        // A claim whose grant was lost, and has lapsed, gets another one.
        if (answer.granted && this.grants.get(owner)?.token !== answer.token) {
          this.grants.delete(owner);
          this.grants.set(owner, { key, at: this.store.time, token: answer.token });
        }
        return answer;
      },
      renew: (claim, token) => server.renew(claim, token),
      release: (claim) => server.release(claim),
      inspect: (key) => server.inspect(key),
      time: async () => this.memory.epoch(this.store.time),
      close: () => server.close(),
    };
  }

  /** Something goes wrong, or nothing. */
  disturb(): void {
    const process = this.pick(this.processes);
    const ms = 20 + this.integer(500);
    switch (this.integer(12)) {
      case 0:
        this.note(`${process.name} is blocked for ${ms} ms`);
        process.runtime.stall(ms);
        break;
      case 1:
        this.note(`${process.name} is cut off for ${ms} ms`);
        process.link.cutUntil = this.store.time + ms;
        break;
      case 2:
        if (this.alive.length < 2) break;
        this.note(`${process.name} dies`);
        process.dead = true;
        process.runtime.crash();
        break;
      default:
    }
  }

  /** The network is good from now on. */
  heal(): void {
    this.note('calm');
    for (const { link } of this.processes) {
      link.weather = calm;
      link.cutUntil = -Infinity;
    }
  }

  /** All calls end, and nothing is left. */
  async finish(): Promise<void> {
    this.heal();
    const open = (): readonly Call[] => [...this.#calls].filter(({ process }) => !process.dead);
    for (let rounds = 0; rounds < 100 && open().length > 0; rounds += 1) {
      await this.store.advance(100);
      this.look();
    }
    for (const { label } of open()) this.report(`${label} has not ended`);
    // Law 2: releases are repeated until the ttl is over, a second apart.
    await this.store.advance(ttl + waiterTtl + 2_000);
    const server = createMemoryProvider({ store: this.memory });
    for (const key of this.memory.keys('')) {
      const { holders, waiters } = await server.inspect(key);
      this.report(`${key} is left with ${holders.map(({ owner }) => owner).join()} and ${waiters} in the queue`);
    }
    for (const { name, runtime, locks } of this.alive) {
      let closed = false;
      void locks.close().then(() => (closed = true));
      await this.store.advance(0);
      if (!closed || runtime.keepAliveTimers > 0) this.report(`${name} does not end: it has something to wait for`);
    }
  }
}
