import type { MigrationMessage } from '@locks/core';
import { pause, settledWithin } from '@locks/core/adapter';
import { channels } from '@locks/core/composite';
import { coalesced } from '../serial-calls.ts';
import { advance, begin, initialPhase, lost, nextStep, ofBoth } from './decisions.ts';
import type { PhaseState, PhaseStep, Scope } from './decisions.ts';
import { longestLook, takeStep } from './entry.ts';
import type { Answer, Refusal } from './entry.ts';
import type { MigrateRules } from './options.ts';
import { phaseReader } from './phase-source.ts';
import { goneBy, phaseOf } from './phase.ts';
import type { End, Phase, PhaseWord } from './phase.ts';
import { Signs } from './signs.ts';

interface KeeperHost {
  /** Whether leases or attempts under `end` are left. */
  inUse(end: End): boolean;
  /** New claims have a new scope. */
  changed(): void;
  /** Copies the records of jobs that only one store has to the other. */
  carry(): Promise<void>;
}

/** The phase of one process: one loop takes the steps of `decisions.ts` in order. */
export class Keeper {
  readonly #rules: MigrateRules;
  readonly #signs: Signs;
  readonly #host: KeeperHost;
  readonly #state: PhaseState = initialPhase('both');
  readonly #read: () => PhaseWord | undefined;
  /** The phase as last read. */
  word: PhaseWord = 'both';
  #refusal: Refusal | undefined = undefined;
  #closed = false;
  #timer: object | number | undefined = undefined;
  /** Ends the pauses of the step in progress. */
  #change = new AbortController();
  readonly #begun: Promise<void>;
  #decide: () => void = () => {};

  constructor(rules: MigrateRules, host: KeeperHost) {
    const { phase, runtime, memberTimeout } = rules;
    this.#rules = rules;
    this.#host = host;
    this.#signs = new Signs(rules, this);
    const misread = (error: unknown): void => this.#tell('misread', { error });
    this.#read = typeof phase === 'function' ? phaseReader(phase, misread) : () => phase;
    const decided = new Promise<void>((resolve) => (this.#decide = resolve));
    this.#begun = settledWithin(runtime, memberTimeout, decided);
    this.read();
    void this.#goOn();
    this.#arm();
  }

  /** The scope of a claim that begins now. */
  scope(): Scope {
    const { acting, end } = this.#state;
    const { presence } = this.#signs;
    return acting && end !== undefined && presence?.held === true ? { phase: end, presence } : ofBoth;
  }

  /**
   * Reads the phase. Resolves when the first try to enter an end has an outcome, or a member
   * timeout after the start. Rejects if this process can take no locks.
   */
  async begun(): Promise<void> {
    this.read();
    await this.#begun;
    if (this.#signs.wrong !== undefined) throw this.#signs.wrong;
  }

  /** Reads the desired phase. */
  read(): void {
    const word = this.#closed ? undefined : this.#read();
    if (word === undefined || word === this.word) return;
    this.word = word;
    this.#state.desired = phaseOf(word);
    this.#state.refused = false;
    this.#refusal = undefined;
    this.#endPauses();
    void this.#goOn();
  }

  /** A lease or an attempt has ended. The last one under an end lets the process leave it. */
  claimEnded(): void {
    if (this.#state.end !== undefined && !this.#state.acting) void this.#goOn();
  }

  /** What helps if a claim in both stores is not answered. */
  get advice(): string | undefined {
    const { desired } = this.#state;
    const why = this.#refusal?.error;
    if (desired === 'both' || !(why instanceof Error)) return undefined;
    const text = `This process should be in "${desired}" but stays in both stores: ${why.message}`;
    return `${text} If the other store is gone for good, set the phase to "${desired}!".`;
  }

  /** What the process takes locks in, or has leases in. */
  get effective(): Phase {
    const { end, acting } = this.#state;
    return end !== undefined && (acting || this.#inUse) ? end : 'both';
  }

  /** No lease is granted or renewed under an end any more. */
  stop(): void {
    this.#closed = true;
    this.#state.acting = false;
    if (this.#timer !== undefined) this.#rules.runtime.clearTimer(this.#timer);
    this.#endPauses();
    this.#decide();
  }

  /** Returns presence and note: no lease under the end is left. */
  async close(): Promise<void> {
    await this.#goOn();
    await this.#signs.close();
  }

  /** Takes the next steps. */
  readonly #goOn = coalesced(async () => {
    for (;;) {
      const step = this.#closed ? 'wait' : nextStep(this.#state, this.#inUse);
      if (step === 'wait') break;
      await this.#take(step);
    }
    void this.#writeNote();
  });

  async #take(step: PhaseStep): Promise<void> {
    begin(this.#state, step);
    if (step === 'announce') void this.#writeNote();
    const { signal } = this.#change;
    const answer = await takeStep(step, this.#state.end as End, {
      rules: this.#rules,
      signs: this.#signs,
      forced: goneBy(this.word) !== undefined,
      carry: () => this.#host.carry(),
      waits: (why) => this.#waits(why),
      pause: async (ms) => {
        await pause(this.#rules.runtime, ms, { signal, keepAlive: false });
        return !signal.aborted;
      },
    }).catch((error: unknown): Answer => ({ error }));
    // The presence was lost in the meantime, so there is no end.
    if (answer === undefined || this.#closed || this.#state.end === undefined) return;
    advance(this.#state, step, typeof answer === 'string' ? answer : 'refused');
    if (typeof answer !== 'string') this.#waits(answer);
    if (step === 'act' || step === 'leave') this.#changed();
  }

  /** The presence has ended, and with it the leases under its end. */
  lost(error: unknown): void {
    if (this.#closed) return;
    const { acting } = this.#state;
    lost(this.#state);
    this.#endPauses();
    this.#tell('lost', { error });
    if (acting) this.#changed();
  }

  #changed(): void {
    const { acting, end } = this.#state;
    if (acting && end !== undefined) {
      this.#refusal = undefined;
      this.#signs.mark(end);
    }
    this.#tell('changed');
    this.#decide();
    this.#host.changed();
  }

  #waits(why?: Refusal): void {
    this.#decide();
    if (why === undefined) return;
    this.#refusal = why;
    this.#tell('refused', why);
  }

  #tell(event: MigrationMessage['event'], more: Refusal = {}): void {
    if (!channels.migration.hasSubscribers) return;
    const { phase: effective } = this.scope();
    channels.migration.publish({
      migration: this.#rules.name,
      event,
      desired: this.#state.desired,
      effective,
      ...more,
    });
  }

  async #writeNote(): Promise<void> {
    if (this.#closed) return;
    await this.#signs.note();
    if (this.#state.desired === 'both') this.#decide();
  }

  #endPauses(): void {
    this.#change.abort();
    this.#change = new AbortController();
  }

  /** Checks again soon: the phase, obstacles, and leases that ended unseen. */
  #arm(): void {
    const { runtime } = this.#rules;
    const again = (): void => {
      this.#arm();
      this.read();
      this.#state.refused = false;
      void this.#goOn();
    };
    this.#timer = runtime.setTimer(again, longestLook(this.#rules) * (0.5 + runtime.random()), false);
  }

  get #inUse(): boolean {
    const { end } = this.#state;
    return end !== undefined && this.#host.inUse(end);
  }
}
