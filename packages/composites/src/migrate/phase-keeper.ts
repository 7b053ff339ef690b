import { createLocks } from '@locks/core';
import type { Lease, LockProvider, Locks, MigrationMessage } from '@locks/core';
import { LockError, outsideContext, settledWithin } from '@locks/core/adapter';
import { channels } from '@locks/core/composite';
import { scopeOf } from './decisions.ts';
import type { Scope } from './decisions.ts';
import { Floors } from './floors.ts';
import { Identity } from './identity.ts';
import { presenceKey } from './keys.ts';
import type { MigrateRules } from './options.ts';
import { OtherProcesses } from './other-processes.ts';
import type { Refusal } from './other-processes.ts';
import { PhaseNote } from './phase-note.ts';
import { phaseReader } from './phase-reader.ts';
import { PhaseMachine } from './phase-machine.ts';
import type { PhaseWorld } from './phase-machine.ts';
import { oppositeOf } from './phase.ts';
import type { End, Phase } from './phase.ts';

/** A step waits so long for a key of the migration, in ms. Others have it for a moment only. */
const patience = 5_000;
/** The next look after a refusal comes after this part of the presence's ttl, on average. */
const looksPerTtl = 15;

/** What the keeper needs from the provider. */
export interface KeeperHost {
  /** Whether leases or attempts under an end are left. */
  inUse(): boolean;
  /** New attempts begin under another phase. */
  changed(): void;
  /** The presence is lost, and so are the leases under its end. */
  lost(reason: LockError): void;
}

/** Keeps the phase of one process: takes and gives back its presence, and finds its floor. */
export class PhaseKeeper implements PhaseWorld {
  readonly #rules: MigrateRules;
  readonly #host: KeeperHost;
  readonly #machine: PhaseMachine;
  readonly #locks: Readonly<Record<End, Locks>>;
  readonly #note: PhaseNote;
  readonly #floors: Floors;
  readonly #identity: Identity;
  readonly #others: OtherProcesses;
  readonly #desired: () => Phase | undefined;
  #presence: Lease | undefined = undefined;
  /** Answers of steps that began before the last change of the presence count for nothing. */
  #turn = 0;
  #timer: object | number | undefined = undefined;
  #closed = false;
  #isRead = false;
  /** The store that could not be asked before the process acts under the other one. */
  #silent: End | undefined = undefined;
  /** Why the process must not act under the end that it is to. */
  #refusal: LockError | undefined = undefined;
  /** The first step has an outcome. */
  #decided = false;
  readonly #begun: (() => void)[] = [];

  constructor(rules: MigrateRules, host: KeeperHost) {
    const { stores, presenceTtl: ttl, runtime, label } = rules;
    this.#rules = rules;
    this.#host = host;
    this.#machine = new PhaseMachine(this);
    const locksOf = (store: LockProvider): Locks => createLocks(store, { ttl, runtime, label });
    this.#locks = { from: locksOf(stores.from), to: locksOf(stores.to) };
    this.#note = new PhaseNote(rules.name, this.#locks, runtime.clock);
    this.#floors = new Floors(rules);
    const isBoth = (): boolean => !this.#closed && this.state.desired === 'both';
    this.#identity = new Identity(rules, isBoth);
    this.#others = new OtherProcesses(rules, isBoth);
    const { phase } = rules;
    this.#desired =
      typeof phase === 'function' ? phaseReader(phase, (error) => this.tell('misread', { error })) : () => phase;
  }

  get state(): PhaseMachine['state'] {
    return this.#machine.state;
  }

  /** The presence is certainly held. */
  get present(): boolean {
    return !this.#closed && this.#presence?.held === true;
  }

  /** How long the presence is certainly held, in ms. */
  get remaining(): number {
    return this.#presence?.remaining ?? 0;
  }

  /** What an attempt begins under. */
  scope(): Scope {
    return scopeOf(this.state, this.present);
  }

  /** Reads the phase. Resolves when the first step towards it has an outcome, or a moment later. */
  async begun(): Promise<void> {
    this.read();
    if (this.#decided || this.state.desired === 'both') return;
    const { runtime, memberTimeout } = this.#rules;
    await settledWithin(runtime, memberTimeout, new Promise<void>((resolve) => this.#begun.push(resolve)));
  }

  /** Reads the phase that the process is to have. */
  read(): void {
    if (this.#closed) return;
    const read = this.#desired();
    if (typeof this.#rules.phase === 'function' || read === 'both') this.#arm();
    if (read === undefined) return;
    const isNew = read !== this.state.desired || !this.#isRead;
    this.#isRead = true;
    this.#machine.desire(read);
    if (isNew) this.#others.lift();
    if (!this.state.acting && (read === 'both' || this.state.refused)) this.#write(read);
  }

  /**
   * Resolves when an attempt under `phase` may be sent. Rejects where a store of it does not
   * answer, or is the wrong one.
   */
  async ready(phase: Phase): Promise<void> {
    await this.#identity.ready(phase);
    await this.#floors.ready(phase);
  }

  /** The floor of an attempt under `phase`, once it is ready. */
  floor(phase: Phase): bigint | undefined {
    return this.#floors.at(phase);
  }

  /** A lease or an attempt under an end is over. */
  goOn(): void {
    if (!this.#closed) this.#machine.goOn();
  }

  tell(event: MigrationMessage['event'], more: Partial<MigrationMessage> = {}): void {
    if (!channels.migration.hasSubscribers) return;
    const { name: migration, without } = this.#rules;
    const { desired } = this.state;
    const message = { migration, event, desired, effective: this.scope().phase, ...more };
    channels.migration.publish(without === undefined ? message : { ...message, without });
  }

  /** What helps where this process stays in `both`, and a store does not answer. */
  get advice(): string | undefined {
    const { desired } = this.state;
    if (this.#silent === undefined || this.#silent === desired) return this.#refusal?.message;
    return `Whether other processes use "${this.#silent}" alone is unknown. If that store is gone for good, say so by option without: "${this.#silent}".`;
  }

  /** No lease is granted or renewed under an end any more. */
  stop(): void {
    this.#closed = true;
    this.#turn += 1;
    if (this.#timer !== undefined) this.#rules.runtime.clearTimer(this.#timer);
    this.#note.stop();
    this.#settleBegun();
  }

  /** Gives the presence back: no lease under the end is left. */
  async close(): Promise<void> {
    this.#presence = undefined;
    await Promise.all([this.#locks.from, this.#locks.to, this.#floors].map((each) => each.close()));
  }

  // What the machine asks for.

  announce(end: End): void {
    const turn = this.#turn;
    const key = presenceKey(this.#rules.name, end);
    this.#step(async () => {
      await this.#identity.notWrong();
      // A presence with the note is none of a process that acts.
      await this.#note.write(end);
      const lease = await this.#locks[end].acquire(key, { mode: 'shared', wait: patience });
      if (turn !== this.#turn) {
        await lease.release();
        return undefined;
      }
      this.#presence = lease;
      lease.signal.addEventListener('abort', () => this.#lost(lease, end), { once: true });
      return () => this.#machine.stepped();
    });
  }

  look(end: End): void {
    const other = oppositeOf(end);
    this.#step(async () => {
      const by = await this.#asking(other, this.#others.presences(other));
      await this.#identity.ready('both');
      return this.#looked(by.length > 0 ? { by } : undefined);
    });
  }

  check(end: End): void {
    this.#step(async () => this.#looked(await this.#others.refusalOf(end)));
  }

  mark(end: End): void {
    const other = oppositeOf(end);
    this.#step(async () => {
      // A process that was paused must not say that it goes on.
      if (!this.present) throw new Error('its presence is over');
      await this.#asking(other, this.#others.mark(other));
      return () => this.#machine.stepped();
    });
  }

  probe(end: End): void {
    this.#step(async () => {
      const token = await this.#asking(oppositeOf(end), this.#floors.probe(end));
      return () => this.#machine.probed(token);
    });
  }

  withdraw(): void {
    const presence = this.#presence;
    this.#turn += 1;
    this.#presence = undefined;
    presence?.release().catch(() => {});
  }

  pause(): void {
    this.#arm();
  }

  inUse(): boolean {
    return this.#host.inUse();
  }

  changed(): void {
    this.tell('changed');
    const { acting, desired } = this.state;
    if (acting) this.#refusal = undefined;
    this.#write(acting ? undefined : desired);
    this.#settleBegun();
    this.#host.changed();
  }

  /** One step; what it gives is done, unless the presence has changed since. */
  #step(work: () => Promise<(() => void) | undefined>): void {
    const turn = this.#turn;
    const run = async (): Promise<void> => {
      try {
        const settle = await work();
        if (turn === this.#turn) settle?.();
      } catch (error) {
        if (turn !== this.#turn) return;
        this.#machine.failed();
        this.#refused({ error });
      }
    };
    // The presence lasts longer than its caller's asynchronous context.
    void outsideContext(run);
  }

  #looked(refusal: Refusal | undefined): () => void {
    return () => {
      this.#refusal = refusal?.error;
      this.#machine.looked(refusal !== undefined);
      if (refusal !== undefined) this.#refused(refusal);
    };
  }

  #refused(why: Partial<MigrationMessage>): void {
    this.tell('refused', why);
    this.#write(this.state.desired);
    this.#settleBegun();
  }

  /** Others must not see a process that has other stores. */
  #write(desired: Phase | undefined): void {
    const written = outsideContext(async () => {
      await this.#identity.notWrong();
      if (!this.#closed) await this.#note.write(desired);
    });
    written.catch(() => {});
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
    const why = lease.signal.reason instanceof Error ? lease.signal.reason.message : String(lease.signal.reason);
    const reason = new LockError('LOCK_LOST', `the presence of this process in "${end}" has ended: ${why}`);
    this.#turn += 1;
    this.#presence = undefined;
    this.#host.lost(reason);
    this.#machine.lost();
    this.tell('lost', { error: reason });
  }

  /** Looks again soon: at the phase, at those in the way, and at leases that ended unseen. */
  #arm(): void {
    if (this.#timer !== undefined || this.#closed) return;
    const { runtime, presenceTtl } = this.#rules;
    const delay = (presenceTtl / looksPerTtl) * (0.5 + runtime.random());
    this.#timer = runtime.setTimer(
      () => {
        this.#timer = undefined;
        this.read();
        this.#others.lift();
        if (this.state.refused) this.#machine.retry();
        else this.#machine.goOn();
      },
      delay,
      false,
    );
  }

  #settleBegun(): void {
    this.#decided = true;
    for (const resolve of this.#begun.splice(0)) resolve();
  }
}
