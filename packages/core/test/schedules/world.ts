import { createLocks, createMemoryProvider, isLockError } from '../../src/index.ts';
import { MemoryStorage } from '../../src/memory/store.ts';
import type { AcquireOptions, LockProvider, Runtime } from '../../src/index.ts';
import { createHistory } from '../../src/testing/index.ts';
import { createRandom } from '../../src/testing/random.ts';
import { createVirtualRuntime } from '../../src/testing/virtual-runtime.ts';
import type { VirtualRuntime } from '../../src/testing/virtual-runtime.ts';
import { Link, callTimeout, calm } from './link.ts';
import type { Weather } from './link.ts';
import { ContractModel } from './model.ts';
import { lateLoss } from './process.ts';
import type { Hold, Process, Wait } from './process.ts';

/** What a schedule starts from. */
export interface Conditions {
  /** Of delays, losses and jitter. */
  readonly seed: number;
  readonly processes: number;
  readonly weather: Weather;
  /** Clocks of processes may run this much faster or slower than the store's. */
  readonly drift: number;
}

/** Something wrong in the store or in core, put in on purpose. The schedules must find it. */
export interface Flaw {
  server?(provider: LockProvider, world: World): LockProvider;
  client?(provider: LockProvider, runtime: VirtualRuntime): LockProvider;
  runtime?(runtime: VirtualRuntime): Runtime;
}

export const waiterTtl = 400;
export const keys = ['a', 'b'] as const;
/** The longest ttl that a schedule uses. */
export const longestTtl = 1_000;

/** Several processes on one store, each behind its own link, in virtual time. */
export class World {
  readonly store: VirtualRuntime = createVirtualRuntime();
  readonly memory: MemoryStorage = new MemoryStorage({ runtime: this.store, waiterTtl });
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
    const { weather, drift } = conditions;
    const report = (problem: string): void => this.report(problem);
    this.#calm = weather === calm;
    this.#model = new ContractModel({ now: () => this.memory.now(), waiterTtl, report });
    this.processes = Array.from({ length: conditions.processes }, (_, index): Process => {
      const rate = 1 + (random() * 2 - 1) * drift;
      const runtime = createVirtualRuntime({ with: this.store, seed: Math.floor(random() * 2 ** 31), rate });
      const memory = createMemoryProvider({ store: this.memory });
      const server = this.#watched(flaw.server?.(memory, this) ?? memory);
      const link = new Link(server, weather, this.store, runtime, random);
      const provider = flaw.client?.(link, runtime) ?? link;
      const name = `p${index}`;
      const locks = createLocks(provider, {
        runtime: flaw.runtime?.(runtime) ?? runtime,
        label: name,
      });
      const idle = { excusedUntil: -Infinity, asleepUntil: -Infinity };
      return { name, runtime, rate, link, locks, holds: [], waits: [], pending: 0, state: 'alive', ...idle };
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
  take(process: Process, key: string, options: AcquireOptions & { readonly wait: number }, hold: number): void {
    const { mode = 'exclusive', permits, wait } = options;
    const label = `${process.name}#${(this.#calls += 1)}`;
    // One attempt lasts as long as its call.
    const until = this.now + Math.max(wait, callTimeout) / process.rate;
    const waiting: Wait = { label, controller: new AbortController(), until, open: true };
    process.waits.push(waiting);
    this.note(`${label} takes ${key} ${mode}`);
    process.locks.tryAcquire(key, { ...options, wait, signal: waiting.controller.signal }).then(
      (lease) => {
        waiting.open = false;
        if (process.state === 'dead') return;
        this.note(`${label} ${lease === null ? 'has to do without' : `has ${lease.owner}`}`);
        if (lease === null) return;
        this.history.granted(process.name, lease, permits);
        const entry: Hold = { lease, signal: lease.signal, released: false, overSince: undefined };
        process.holds.push(entry);
        this.look();
        if (hold < Infinity) process.runtime.setTimer(() => this.release(process, entry), hold, false);
      },
      (error: unknown) => {
        waiting.open = false;
        const code = isLockError(error) ? error.code : String(error);
        this.note(`${label} fails with ${code}`);
        const expected =
          code === 'LOCK_UNAVAILABLE' ||
          code === 'LOCK_INVALID' ||
          (code === 'LOCK_CLOSED' && process.state === 'closed') ||
          (error === waiting.controller.signal.reason && waiting.controller.signal.aborted);
        if (!expected) this.report(`${label} failed with ${code}`);
      },
    );
  }

  release(process: Process, hold: Hold): void {
    if (process.state === 'dead') return;
    const { lease } = hold;
    this.note(`${lease.owner} is released`);
    hold.released ||= lease.held;
    this.#follow(process, `${lease.owner} release`, this.history.release(lease));
  }

  renew(process: Process, { lease }: Hold): void {
    this.#follow(process, `${lease.owner} renew`, lease.renew());
  }

  #follow(process: Process, what: string, call: Promise<unknown>): void {
    process.pending += 1;
    const settled = (answer: string): void => {
      process.pending -= 1;
      this.note(`${what}: ${answer}`);
    };
    call.then(
      (answer) => settled(String(answer)),
      (error: unknown) => settled(isLockError(error) ? error.code : String(error)),
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
      for (const { lease } of process.holds) {
        const { remaining } = lease;
        const until = this.now + remaining / process.rate;
        if (remaining > 0 && !this.#model.keeps(lease.key, lease.owner, until)) {
          this.report(`${lease.owner} says ${remaining} ms remain; the store does not keep it so long`);
        }
      }
      if (this.now < process.runtime.busyUntil + 10) continue;
      // A machine that slept finds out at its next timer: at a third of a validity, or within a
      // second.
      const awake = this.now > process.asleepUntil + longestTtl / 2;
      for (const hold of awake ? process.holds : []) {
        const problem = lateLoss(hold, this.now);
        if (problem !== undefined) this.report(problem);
      }
      for (const wait of process.waits) {
        if (wait.open && this.now > wait.until + 10) this.report(`${wait.label} was not answered at its deadline`);
      }
    }
    if (this.#calm) this.#checkTurns();
  }

  /** Leases that ended and calls that were answered are of no interest any more. */
  forget(): void {
    for (const { holds, waits } of this.processes) {
      drop(holds, ({ released, signal }) => released || signal.aborted);
      drop(waits, ({ open }) => !open);
    }
  }

  /**
   * Without losses, a claim that could go goes after the answer in flight, a wake and an attempt.
   * After an expiry it goes at its next look.
   */
  #checkTurns(): void {
    const flight = 4 * calm.latency + 10;
    for (const { owner, since, woken } of this.#model.turns()) {
      const process = this.processes.find(({ name }) => owner.startsWith(`${name}/`));
      const patience = woken ? flight : flight + waiterTtl / 3;
      if (process === undefined || process.excusedUntil + flight >= since || this.now <= since + patience) continue;
      this.report(`${owner} could go since ${since}, and was not told`);
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
      renew: (claim, token) => watch(`renew ${claim.owner}`, model.renew(provider, claim, token)),
      release: (claim) => watch(`release ${claim.owner}`, model.release(provider, claim)),
      inspect: (key) => provider.inspect(key),
      close: () => provider.close(),
    };
  }
}

function drop<T>(list: T[], useless: (each: T) => boolean): void {
  for (let index = list.length - 1; index >= 0; index -= 1) if (useless(list[index]!)) list.splice(index, 1);
}

function describe(answer: unknown): string {
  return JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
