import { createLocks, createMemoryProvider, createMemoryStore, isLockError } from '../../src/index.ts';
import type { AcquireOptions, Lease, LockProvider, Locks, Runtime } from '../../src/index.ts';
import { createHistory } from '../../src/testing/history.ts';
import { createRandom } from '../../src/testing/random.ts';
import { createVirtualRuntime } from '../../src/testing/virtual-runtime.ts';
import type { VirtualRuntime } from '../../src/testing/virtual-runtime.ts';
import { Link, callTimeout, calm } from './link.ts';
import type { Weather } from './link.ts';
import { ContractModel } from './model.ts';

/** What a schedule starts from. */
export interface Conditions {
  /** Of delays, losses and jitter. */
  readonly seed: number;
  readonly processes: number;
  readonly weather: Weather;
  readonly fair: boolean;
  /** Clocks of processes may run this much faster or slower than the store's. */
  readonly drift: number;
}

/** Something wrong in the store or in core, put in on purpose: the schedules must find it. */
export interface Flaw {
  server?(provider: LockProvider, world: World): LockProvider;
  client?(provider: LockProvider, runtime: VirtualRuntime): LockProvider;
  runtime?(runtime: VirtualRuntime): Runtime;
}

/** One call of `tryAcquire`. */
export interface Wait {
  readonly label: string;
  readonly controller: AbortController;
  until: number;
  open: boolean;
}

export interface Process {
  readonly name: string;
  readonly runtime: VirtualRuntime;
  readonly rate: number;
  readonly link: Link;
  readonly locks: Locks;
  readonly leases: Lease[];
  readonly waits: Wait[];
  state: 'alive' | 'closed' | 'dead';
  /** When it last was stalled, asleep, cut off or ended: until then nobody can expect it to be prompt. */
  excusedUntil: number;
  asleepUntil: number;
}

export const waiterTtl = 400;
export const keys = ['a', 'b'] as const;
/** The longest ttl that a schedule uses. */
export const longestTtl = 1_000;

/** Several processes on one store, each behind its own link, in virtual time. */
export class World {
  readonly store: VirtualRuntime = createVirtualRuntime();
  readonly memory: ReturnType<typeof createMemoryStore> = createMemoryStore({ runtime: this.store, waiterTtl });
  readonly history: ReturnType<typeof createHistory> = createHistory(() => this.store.time);
  readonly processes: readonly Process[];
  /** Everything that happened, one line each: the same for the same schedule. */
  readonly log: string[] = [];
  readonly problems: string[] = [];
  readonly #model: ContractModel;
  readonly #calm: boolean;
  #calls = 0;

  constructor(conditions: Conditions, flaw: Flaw = {}) {
    const random = createRandom(conditions.seed);
    const { fair, weather, drift } = conditions;
    const report = (problem: string): void => this.report(problem);
    this.#calm = weather === calm;
    this.#model = new ContractModel({ now: () => this.memory.now(), waiterTtl, fair, report });
    this.processes = Array.from({ length: conditions.processes }, (_, index): Process => {
      const rate = 1 + (random() * 2 - 1) * drift;
      const runtime = createVirtualRuntime({ with: this.store, seed: Math.floor(random() * 2 ** 31), rate });
      const memory = createMemoryProvider({ store: this.memory, fair });
      const server = this.#watched(flaw.server?.(memory, this) ?? memory);
      const link = new Link(server, weather, this.store, runtime, random);
      const provider = flaw.client?.(link, runtime) ?? link;
      const name = `p${index}`;
      const locks = createLocks(provider, { runtime: flaw.runtime?.(runtime) ?? runtime, label: name });
      const idle = { excusedUntil: -Infinity, asleepUntil: -Infinity };
      return { name, runtime, rate, link, locks, leases: [], waits: [], state: 'alive', ...idle };
    });
  }

  get now(): number {
    return this.store.time;
  }

  report(problem: string): void {
    this.problems.push(`at ${this.now}: ${problem}`);
    this.note(`PROBLEM ${problem}`);
  }

  note(line: string): void {
    this.log.push(`${this.now} ${line}`);
  }

  /** Takes `key`, and releases it `hold` ms after the grant. */
  take(process: Process, key: string, options: AcquireOptions, hold: number): void {
    const { mode = 'exclusive', permits, wait = Infinity } = options;
    const label = `${process.name}#${(this.#calls += 1)}`;
    // One attempt lasts as long as its call.
    const until = this.now + Math.max(wait, callTimeout) / process.rate;
    const entry: Wait = { label, controller: new AbortController(), until, open: true };
    process.waits.push(entry);
    this.note(`${label} takes ${key} ${mode}`);
    process.locks.tryAcquire(key, { ...options, wait, signal: entry.controller.signal }).then(
      (lease) => {
        entry.open = false;
        if (process.state === 'dead') return;
        this.note(`${label} ${lease === null ? 'has to do without' : `has ${lease.owner}`}`);
        if (lease === null) return;
        this.history.granted(process.name, lease, permits);
        process.leases.push(lease);
        this.look();
        if (hold < Infinity) process.runtime.setTimer(() => this.release(process, lease), hold, false);
      },
      (error: unknown) => {
        entry.open = false;
        const code = isLockError(error) ? error.code : String(error);
        this.note(`${label} fails with ${code}`);
        const expected =
          code === 'LOCK_UNAVAILABLE' ||
          code === 'LOCK_INVALID' ||
          (code === 'LOCK_CLOSED' && process.state === 'closed') ||
          (error === entry.controller.signal.reason && entry.controller.signal.aborted);
        if (!expected) this.report(`${label} failed with ${code}`);
      },
    );
  }

  release(process: Process, lease: Lease): void {
    if (process.state === 'dead') return;
    this.note(`${lease.owner} is released`);
    if (lease.held) this.history.released(lease);
    lease.release().then(
      (freed) => this.note(`${lease.owner} release: ${freed}`),
      (error: unknown) => this.note(`${lease.owner} release: ${isLockError(error) ? error.code : String(error)}`),
    );
  }

  crash(process: Process): void {
    process.state = 'dead';
    process.excusedUntil = Infinity;
    process.runtime.crash();
    for (const wait of process.waits) wait.open = false;
    this.history.crashed(process.name);
  }

  /** The machine of `process` sleeps; its timers will be late by as much. */
  sleep(process: Process, ms: number): void {
    this.excuse(process, ms);
    process.asleepUntil = this.now + ms;
    process.runtime.sleep(ms);
    for (const wait of process.waits) wait.until += ms;
  }

  excuse(process: Process, ms: number): void {
    process.excusedUntil = Math.max(process.excusedUntil, this.now + ms);
  }

  /** What must be so at every moment. */
  look(): void {
    this.history.look();
    for (const process of this.processes) {
      if (process.state === 'dead' || this.now < process.asleepUntil) continue;
      for (const lease of process.leases) {
        const { remaining } = lease;
        if (remaining > 0 && !this.#model.keeps(lease.key, lease.owner, this.now + remaining / process.rate)) {
          this.report(`${lease.owner} says ${remaining} ms remain; the store does not keep it so long`);
        }
      }
      if (this.now < process.runtime.busyUntil + 10) continue;
      for (const wait of process.waits) {
        if (wait.open && this.now > wait.until + 10) this.report(`${wait.label} was not answered at its deadline`);
      }
    }
    if (this.#calm) this.#checkTurns();
  }

  /** Leases that ended and calls that were answered are of no interest any more. */
  forget(): void {
    for (const { leases, waits } of this.processes) {
      for (let index = leases.length - 1; index >= 0; index -= 1)
        if (leases[index]?.held !== true) leases.splice(index, 1);
      for (let index = waits.length - 1; index >= 0; index -= 1)
        if (waits[index]?.open !== true) waits.splice(index, 1);
    }
  }

  /** Without losses, whoever could go goes after the answer in flight, a wake and an attempt; after an expiry, at its next look. */
  #checkTurns(): void {
    const flight = 4 * calm.latency + 10;
    for (const { owner, since, woken } of this.#model.turns()) {
      const process = this.processes.find(({ name }) => owner.startsWith(`${name}/`));
      const patience = woken ? flight : flight + waiterTtl / 3;
      if (process === undefined || process.excusedUntil + flight >= since || this.now <= since + patience) continue;
      this.report(`${owner} could go since ${since}, and nobody told it`);
    }
  }

  #watched(provider: LockProvider): LockProvider {
    const watch = async <T>(what: string, answering: Promise<T>): Promise<T> => {
      try {
        const answer = await answering;
        this.note(`store: ${what}: ${describe(answer)}`);
        this.look();
        return answer;
      } catch (error) {
        this.note(`store: ${what}: ${isLockError(error) ? error.code : String(error)}`);
        throw error;
      }
    };
    const model = this.#model;
    return {
      name: provider.name,
      traits: provider.traits,
      tryAcquire: (claim, wake) => watch(`try ${claim.owner}`, model.attempt(provider, claim, wake)),
      renew: (claim) => watch(`renew ${claim.owner}`, model.renew(provider, claim)),
      release: (claim) => watch(`release ${claim.owner}`, model.release(provider, claim)),
      inspect: (key) => provider.inspect(key),
      close: () => provider.close(),
    };
  }
}

function describe(answer: unknown): string {
  return JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
