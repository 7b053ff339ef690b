import { setImmediate } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { now, sleep } from '../clock.ts';
import { loadSubject } from '../subjects/index.ts';
import type { Held, Party, Places } from '../subjects/subject.ts';
import { packClaims } from './claims.ts';
import type { Claim } from './claims.ts';
import { connect } from './counting-client.ts';
import type { CommandCounter } from './counting-client.ts';
import type { Assignment, CrewReport } from './crew-messages.ts';

/** What a process of a crew does, whether it measures a library or the reference. */
export interface Crew {
  /** Resolves when its first claims are in line. */
  begin(): Promise<void>;
  /** Resolves when all turns were taken. */
  readonly done: Promise<void>;
  /** Acquisitions since `measure`. */
  readonly grants: number;
  measure(): void;
  report(): CrewReport;
}

/** Workers that want the same lock again and again. */
export async function openWorkerCrew(assignment: Assignment): Promise<Crew> {
  const { client, counter } = await connect(assignment.url);
  const subject = await loadSubject(assignment.subject);
  const party = subject.open(client, { retryDelay: assignment.retryDelay });
  await warmUp(party, `${assignment.key}/warm-up/${assignment.process}`);
  // Among processes the order of calls is not the order of places; within one, one connection keeps it.
  const places = assignment.processes > 1 ? party.watchPlaces?.(assignment.key) : undefined;
  return new WorkerCrew(assignment, client, counter, party, places);
}

/** For so many ms a process warms up, so that the compiler of the engine knows the library. */
const warmUpTime = 400;

/** Two workers take turns on a lock of their own: some libraries subscribe only when they wait for the first time. */
async function warmUp(party: Party, key: string): Promise<void> {
  const end = now() + warmUpTime;
  const first = await party.acquire(key);
  const take = async (): Promise<void> => {
    do await (await party.acquire(key)).release();
    while (now() < end);
  };
  const others = [take(), take()];
  await first.release();
  await Promise.all(others);
}

class WorkerCrew implements Crew {
  readonly #assignment: Assignment;
  readonly #client: Redis;
  readonly #counter: CommandCounter;
  readonly #party: Party;
  readonly #places: Places | undefined;
  readonly #claims: Claim[] = [];
  /** The present claim of each worker, by its call. */
  readonly #waiting = new Map<number, number>();
  /** The present hold. */
  readonly #holding = new Map<number, Claim>();
  #failures = 0;
  #grants = 0;
  #firstFailure: string | undefined = undefined;
  #finish!: () => void;
  readonly done: Promise<void> = new Promise((resolve) => (this.#finish = resolve));

  constructor(
    assignment: Assignment,
    client: Redis,
    counter: CommandCounter,
    party: Party,
    places: Places | undefined,
  ) {
    this.#assignment = assignment;
    this.#client = client;
    this.#counter = counter;
    this.#party = party;
    this.#places = places;
  }

  async begin(): Promise<void> {
    const { firstWorker, workers } = this.#assignment;
    const all = Array.from({ length: workers }, (_, index) => this.#work(firstWorker + index));
    void Promise.all(all).then(this.#finish);
    // The connection answers in order, so all first attempts have been answered by then.
    await this.#client.ping();
  }

  get grants(): number {
    return this.#grants;
  }

  measure(): void {
    this.#counter.reset();
    this.#failures = 0;
    this.#grants = 0;
  }

  report(): CrewReport {
    const claims = [...this.#claims, ...this.#holding.values()];
    const placed = this.#places?.waiting();
    for (const [worker, calledAt] of this.#waiting) {
      // Which of the claims in line is whose does not matter.
      const placedAt = placed === undefined ? calledAt : (placed.pop() ?? Infinity);
      claims.push({ worker, calledAt, placedAt, grantedAt: Infinity, releasedAt: Infinity });
    }
    return {
      claims: packClaims(claims),
      commands: this.#counter.total,
      failures: this.#failures,
      firstFailure: this.#firstFailure,
      pushes: [],
    };
  }

  async #work(worker: number): Promise<void> {
    const { key, hold, turns } = this.#assignment;
    for (let turn = 0; turn < turns;) {
      const calledAt = now();
      this.#waiting.set(worker, calledAt);
      let held: Held;
      try {
        held = await this.#party.acquire(key);
      } catch (error) {
        await this.#failed(error);
        continue;
      } finally {
        this.#waiting.delete(worker);
      }
      turn += 1;
      this.#grants += 1;
      const grantedAt = now();
      const placedAt = this.#places?.of(held) ?? calledAt;
      const claim = { worker, calledAt, placedAt, grantedAt, releasedAt: Infinity };
      this.#holding.set(worker, claim);
      if (hold > 0) await sleep(hold);
      this.#holding.delete(worker);
      this.#claims.push({ ...claim, releasedAt: now() });
      try {
        await held.release();
      } catch (error) {
        await this.#failed(error);
      }
    }
  }

  async #failed(error: unknown): Promise<void> {
    this.#failures += 1;
    this.#firstFailure ??= error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    // One that fails at once must not keep the process from everything else.
    await setImmediate();
  }
}
