import { setImmediate } from 'node:timers/promises';
import { now, sleep } from '../measure/clock.ts';
import type { Held, Party, Places } from '../subjects/party.ts';
import { packClaims } from './claims.ts';
import type { Claim } from './claims.ts';
import type { Crew } from './crew.ts';
import type { Assignment, CrewReport } from './crew-messages.ts';

/** What the workers of a process use. */
export interface Station {
  readonly party: Party;
  /** When claims took their positions, if the order of calls does not say. */
  readonly places?: Places | undefined;
  /** Counts what the client sends, if it can. */
  readonly counter?: { readonly total: number; reset(): void };
  /**
   * Calls may settle within the turn of the event loop: then the workers must yield now and then.
   */
  readonly synchronous?: boolean;
  /** Resolves when the first attempts of the workers have been answered. */
  inQueue(granted: () => number): Promise<unknown>;
  close?(): Promise<void>;
}

/**
 * The warm-up of a process, in ms, for the compiler of the engine. After 400 ms, hand-overs of four
 * processes on two cores took twice as long as after 3 s.
 */
const warmUpTime = 3_000;

/**
 * Two workers alternate on a separate lock: some libraries subscribe only when they wait for the
 * first time. `time`: the duration in ms.
 */
export async function warmUp(party: Party, key: string, time = warmUpTime): Promise<void> {
  const end = now() + time;
  const first = await party.acquire(key);
  const take = async (): Promise<void> => {
    do await (await party.acquire(key)).release();
    while (now() < end);
  };
  const others = [take(), take()];
  await first.release();
  await Promise.all(others);
}

/** Workers that repeatedly take one lock, or each its own. */
export class WorkerCrew implements Crew {
  readonly #assignment: Assignment;
  readonly #station: Station;
  readonly #claims: Claim[] = [];
  /** The current claim of each worker, by its call. */
  readonly #waiting = new Map<number, number>();
  /** The current hold. */
  readonly #holding = new Map<number, Claim>();
  #failures = 0;
  #grants = 0;
  #closed = false;
  #turnedAt = 0;
  #firstFailure: string | undefined = undefined;
  #finish!: () => void;
  readonly done: Promise<void> = new Promise((resolve) => (this.#finish = resolve));

  constructor(assignment: Assignment, station: Station) {
    this.#assignment = assignment;
    this.#station = station;
  }

  async begin(): Promise<void> {
    const { firstWorker, workers, process, processes, spread = 0 } = this.#assignment;
    const all = Array.from({ length: workers }, async (_, index) => {
      if (spread > 0) await sleep((index * processes + process) * spread);
      await this.#work(firstWorker + index);
    });
    void Promise.all(all).then(this.#finish);
    await this.#station.inQueue(() => this.#grants);
  }

  get grants(): number {
    return this.#grants;
  }

  measure(): void {
    this.#station.counter?.reset();
    this.#failures = 0;
    this.#grants = 0;
  }

  report(): CrewReport {
    const claims = [...this.#claims, ...this.#holding.values()];
    const placed = this.#station.places?.waiting();
    for (const [worker, calledAt] of this.#waiting) {
      // Which of the queued claims belongs to whom does not matter.
      const placedAt = placed === undefined ? calledAt : (placed.pop() ?? Infinity);
      claims.push({ worker, calledAt, placedAt, grantedAt: Infinity, releasedAt: Infinity });
    }
    return {
      claims: packClaims(claims),
      commands: this.#station.counter?.total ?? 0,
      failures: this.#failures,
      firstFailure: this.#firstFailure,
      pushes: [],
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#station.close?.();
  }

  async #work(worker: number): Promise<void> {
    const { hold, turns, ownKeys } = this.#assignment;
    const key = ownKeys === true ? `${this.#assignment.key}/${worker}` : this.#assignment.key;
    for (let turn = 0; turn < turns && !this.#closed;) {
      const calledAt = now();
      this.#waiting.set(worker, calledAt);
      let held: Held;
      try {
        held = await this.#station.party.acquire(key);
      } catch (error) {
        await this.#failed(error);
        continue;
      } finally {
        this.#waiting.delete(worker);
      }
      turn += 1;
      this.#grants += 1;
      const grantedAt = now();
      const placedAt = this.#station.places?.of(held) ?? calledAt;
      const claim = { worker, calledAt, placedAt, grantedAt, releasedAt: Infinity };
      this.#holding.set(worker, claim);
      if (hold > 0) await sleep(hold);
      else if (this.#station.synchronous === true) await this.#turn();
      this.#holding.delete(worker);
      this.#claims.push({ ...claim, releasedAt: now() });
      try {
        await held.release();
      } catch (error) {
        await this.#failed(error);
      }
    }
  }

  /** While the lock is held: else no other worker would ever find it taken. */
  async #turn(): Promise<void> {
    if (now() - this.#turnedAt < 5) return;
    await setImmediate();
    this.#turnedAt = now();
  }

  async #failed(error: unknown): Promise<void> {
    this.#failures += 1;
    this.#firstFailure ??= error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    // A synchronous failure must not starve the process.
    await setImmediate();
  }
}
