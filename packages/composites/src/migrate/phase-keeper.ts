import { createLocks } from '@locks/core';
import type { LockProvider, Locks, MigrationMessage } from '@locks/core';
import { outsideContext, settledWithin } from '@locks/core/adapter';
import type { LockError } from '@locks/core/adapter';
import { channels } from '@locks/core/composite';
import { scopeOf } from './decisions.ts';
import type { Scope } from './decisions.ts';
import { Floors } from './floors.ts';
import { Identity } from './identity.ts';
import type { MigrateRules } from './options.ts';
import { OtherProcesses } from './other-processes.ts';
import { PhaseNote } from './phase-note.ts';
import { phaseReader } from './phase-reader.ts';
import { PhaseMachine } from './phase-machine.ts';
import type { PhaseWorld } from './phase-machine.ts';
import { PhaseSteps } from './phase-steps.ts';
import type { End, Phase } from './phase.ts';

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

/** Keeps the phase of one process: reads it, writes its note, and looks at others again. */
export class PhaseKeeper implements PhaseWorld {
  readonly #rules: MigrateRules;
  readonly #host: KeeperHost;
  readonly #machine: PhaseMachine;
  readonly #locks: Readonly<Record<End, Locks>>;
  readonly #note: PhaseNote;
  readonly #floors: Floors;
  readonly #identity: Identity;
  readonly #others: OtherProcesses;
  readonly steps: PhaseSteps;
  readonly #desired: () => Phase | undefined;
  #timer: object | number | undefined = undefined;
  #closed = false;
  #isRead = false;
  /** The first step has an outcome. */
  #decided = false;
  readonly #begun: (() => void)[] = [];

  constructor(rules: MigrateRules, host: KeeperHost) {
    const { phase, stores, presenceTtl: ttl, runtime, label } = rules;
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
    this.steps = new PhaseSteps(
      {
        rules,
        locks: this.#locks,
        note: this.#note,
        floors: this.#floors,
        identity: this.#identity,
        others: this.#others,
      },
      { machine: this.#machine, refused: (why) => this.#refused(why), lost: (reason) => this.#lost(reason) },
    );
    this.#desired =
      typeof phase === 'function' ? phaseReader(phase, (error) => this.tell('misread', { error })) : () => phase;
  }

  get state(): PhaseMachine['state'] {
    return this.#machine.state;
  }

  /** The presence is certainly held. */
  get present(): boolean {
    return this.steps.present;
  }

  /** How long the presence is certainly held, in ms. */
  get remaining(): number {
    return this.steps.remaining;
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
    const [desired, effective] = [this.state.desired, this.scope().phase];
    channels.migration.publish({ migration, event, desired, effective, ...more, ...(without && { without }) });
  }

  /** What helps where this process stays in `both`, and a store does not answer. */
  get advice(): string | undefined {
    return this.steps.advice;
  }

  /** No lease is granted or renewed under an end any more. */
  stop(): void {
    this.#closed = true;
    this.steps.stop();
    if (this.#timer !== undefined) this.#rules.runtime.clearTimer(this.#timer);
    this.#note.stop();
    this.#settleBegun();
  }

  /** Gives the presence back: no lease under the end is left. */
  async close(): Promise<void> {
    this.steps.forget();
    await Promise.all([this.#locks.from, this.#locks.to, this.#floors].map((each) => each.close()));
  }

  // What the machine asks for.

  pause(): void {
    this.#arm();
  }

  inUse(): boolean {
    return this.#host.inUse();
  }

  changed(): void {
    this.tell('changed');
    const { acting, desired } = this.state;
    if (acting) this.steps.acts();
    this.#write(acting ? undefined : desired);
    this.#settleBegun();
    this.#host.changed();
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

  #lost(reason: LockError): void {
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
