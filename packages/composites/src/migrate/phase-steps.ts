import { LockError, outsideContext } from '@locks/core/adapter';
import type { Lease, Locks, MigrationMessage } from '@locks/core';
import type { Floors } from './floors.ts';
import type { Identity } from './identity.ts';
import { presenceKey } from './keys.ts';
import type { MigrateRules } from './options.ts';
import type { OtherProcesses, Refusal } from './other-processes.ts';
import type { PhaseMachine, StoreSteps } from './phase-machine.ts';
import type { PhaseNote } from './phase-note.ts';
import { oppositeOf } from './phase.ts';
import type { End } from './phase.ts';

/** A step waits so long for a key of the migration, in ms. Others have it for a moment only. */
const patience = 5_000;

/** What steps are taken with. */
interface Parts {
  readonly rules: MigrateRules;
  readonly locks: Readonly<Record<End, Locks>>;
  readonly note: PhaseNote;
  readonly floors: Floors;
  readonly identity: Identity;
  readonly others: OtherProcesses;
}

/** What hears of their outcome. */
interface StepHost {
  readonly machine: PhaseMachine;
  /** A step is refused, or has failed. */
  refused(why: Partial<MigrationMessage>): void;
  /** The presence is lost, and so are the leases under its end. */
  lost(reason: LockError): void;
}

/** Takes the steps of one process in the stores, and has its presence. */
export class PhaseSteps implements StoreSteps {
  readonly #parts: Parts;
  readonly #host: StepHost;
  #presence: Lease | undefined = undefined;
  /** Answers of steps that began before the last change of the presence count for nothing. */
  #generation = 0;
  #closed = false;
  /** The store that could not be asked before the process acts under the other one. */
  #silent: End | undefined = undefined;
  /** Why the process must not act under the end that it is to. */
  #refusal: LockError | undefined = undefined;

  constructor(parts: Parts, host: StepHost) {
    this.#parts = parts;
    this.#host = host;
  }

  /** The presence is certainly held. */
  get present(): boolean {
    return !this.#closed && this.#presence?.held === true;
  }

  /** How long it is certainly held, in ms. */
  get remaining(): number {
    return this.#presence?.remaining ?? 0;
  }

  /** What helps where this process stays in `both`. */
  get advice(): string | undefined {
    const { desired } = this.#host.machine.state;
    if (this.#silent === undefined || this.#silent === desired) return this.#refusal?.message;
    return `Whether other processes use "${this.#silent}" alone is unknown. If that store is gone for good, say so by option without: "${this.#silent}".`;
  }

  announce(end: End): void {
    const generation = this.#generation;
    const { rules, locks, note, identity } = this.#parts;
    this.#step(async () => {
      await identity.notWrong();
      // A presence with the note is none of a process that acts.
      await note.write(end);
      const lease = await locks[end].acquire(presenceKey(rules.name, end), { mode: 'shared', wait: patience });
      if (generation !== this.#generation) {
        await lease.release();
        return undefined;
      }
      this.#presence = lease;
      lease.signal.addEventListener('abort', () => this.#lost(lease, end), { once: true });
      return () => this.#host.machine.stepped();
    });
  }

  look(end: End): void {
    const other = oppositeOf(end);
    const { others, identity } = this.#parts;
    this.#step(async () => {
      const by = await this.#asking(other, others.presences(other));
      await identity.ready('both');
      return this.#looked(by.length > 0 ? { by } : undefined);
    });
  }

  check(end: End): void {
    this.#step(async () => this.#looked(await this.#parts.others.refusalOf(end)));
  }

  mark(end: End): void {
    const other = oppositeOf(end);
    this.#step(async () => {
      // A process that was paused must not say that it goes on.
      if (!this.present) throw new Error('its presence is over');
      await this.#asking(other, this.#parts.others.mark(other));
      return () => this.#host.machine.stepped();
    });
  }

  probe(end: End): void {
    this.#step(async () => {
      const token = await this.#asking(oppositeOf(end), this.#parts.floors.probe(end));
      return () => this.#host.machine.probed(token);
    });
  }

  withdraw(): void {
    const presence = this.#presence;
    this.#generation += 1;
    this.#presence = undefined;
    presence?.release().catch(() => {});
  }

  /** The process acts under the end that it was to. */
  acts(): void {
    this.#refusal = undefined;
  }

  /** Steps that are under way come to nothing. */
  stop(): void {
    this.#closed = true;
    this.#generation += 1;
  }

  /** The presence goes with its `Locks`. */
  forget(): void {
    this.#presence = undefined;
  }

  /** One step. What it gives is done, unless the presence has changed since. */
  #step(work: () => Promise<(() => void) | undefined>): void {
    const generation = this.#generation;
    const run = async (): Promise<void> => {
      try {
        const settle = await work();
        if (generation === this.#generation) settle?.();
      } catch (error) {
        if (generation !== this.#generation) return;
        this.#host.machine.failed();
        this.#host.refused({ error });
      }
    };
    // The presence lasts longer than its caller's asynchronous context.
    void outsideContext(run);
  }

  #looked(refusal: Refusal | undefined): () => void {
    return () => {
      this.#refusal = refusal?.error;
      this.#host.machine.looked(refusal !== undefined);
      if (refusal !== undefined) this.#host.refused(refusal);
    };
  }

  /** Notes which store did not answer. */
  async #asking<T>(end: End, asked: Promise<T>): Promise<T> {
    try {
      const answer = await asked;
      this.#silent = undefined;
      return answer;
    } catch (error) {
      this.#silent = end;
      throw error;
    }
  }

  #lost(lease: Lease, end: End): void {
    if (this.#presence !== lease) return;
    const given: unknown = lease.signal.reason;
    const why = given instanceof Error ? given.message : String(given);
    this.#generation += 1;
    this.#presence = undefined;
    this.#host.lost(new LockError('LOCK_LOST', `the presence of this process in "${end}" has ended: ${why}`));
  }
}
