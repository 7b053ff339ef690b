import { createLocks } from '@locks/core';
import type { LockProvider, Locks, MigrationMessage } from '@locks/core';
import { LockError, outsideContext, settledWithin } from '@locks/core/adapter';
import { channels, defaultLabel } from '@locks/core/composite';
import { advance, begin, initialPhase, lost, nextStep, ofBoth } from './decisions.ts';
import type { Outcome, PhaseState, PhaseStep, Scope } from './decisions.ts';
import { findHolders } from './holders.ts';
import { processLabel } from './keys.ts';
import { Note } from './note.ts';
import type { MigrateRules } from './options.ts';
import { phaseReader } from './phase-reader.ts';
import { isForced, oppositeOf, phaseOf } from './phase.ts';
import type { End, Phase, PhaseWord } from './phase.ts';
import { Presence } from './presence.ts';
import { barOf, untilAbove } from './tokens.ts';

/**
 * How often per ttl of the presence a process looks again: at its phase, and at what is in its way.
 * With more, stores are asked more often. With less, a step takes longer.
 */
const looksPerTtl = 15;

/** What the keeper asks of the claims. */
interface KeeperHost {
  /** Whether leases or attempts under `end` are left. */
  inUse(end: End): boolean;
  /** New claims begin under another scope than before. */
  changed(): void;
}

/** Why a process is not where it is to be. */
type Refusal = Pick<MigrationMessage, 'by' | 'error'>;

/** The phase of one process: one loop takes the steps of `decisions.ts`, one after the other. */
export class Keeper {
  readonly #rules: MigrateRules;
  readonly #host: KeeperHost;
  readonly #state: PhaseState = initialPhase('both');
  readonly #locks: Readonly<Record<End, Locks>>;
  readonly #presence: Presence;
  readonly #note: Note;
  readonly #read: () => PhaseWord | undefined;
  /** As the phase was read last. */
  #word: PhaseWord | undefined = undefined;
  #refusal: Refusal | undefined = undefined;
  /** What all tokens of the other end are below. Known since no process was seen there. */
  #bar: bigint | undefined = undefined;
  /** How often the presence was lost. */
  #losses = 0;
  #running: Promise<void> | undefined = undefined;
  #again = false;
  #closed = false;
  #timer: object | number | undefined = undefined;
  /** Ends a pause. */
  #wakeUp: () => void = () => {};
  readonly #begun: Promise<void>;
  #decide: () => void = () => {};

  constructor(rules: MigrateRules, host: KeeperHost) {
    const { stores, presenceTtl: ttl, phase, runtime } = rules;
    this.#rules = rules;
    this.#host = host;
    const label = processLabel(rules.label ?? defaultLabel(), runtime.uniqueId());
    const locksOf = (store: LockProvider): Locks => createLocks(store, { ttl, runtime, label });
    this.#locks = { from: locksOf(stores.from), to: locksOf(stores.to) };
    this.#presence = new Presence(rules, this.#locks, (error) => this.#lost(error));
    this.#note = new Note(rules, this.#locks);
    this.#read =
      typeof phase === 'function' ? phaseReader(phase, (error) => this.#tell('misread', { error })) : () => phase;
    const decided = new Promise<void>((resolve) => (this.#decide = resolve));
    this.#begun = settledWithin(runtime, rules.memberTimeout, decided);
    this.read();
    this.goOn();
    this.#arm();
  }

  /** What a claim that begins now is taken under. */
  scope(): Scope {
    const { acting, end } = this.#state;
    const { lease } = this.#presence;
    return acting && end !== undefined && lease?.held === true ? { phase: end, presence: lease } : ofBoth;
  }

  /**
   * Reads the phase. Resolves when the first try to enter an end has an outcome, or a member
   * timeout after the start. Rejects where this process can take no locks.
   */
  async begun(): Promise<void> {
    this.read();
    await this.#begun;
    if (this.#note.wrong !== undefined) throw this.#note.wrong;
  }

  /** Reads the phase that the process is to have. */
  read(): void {
    const word = this.#closed ? undefined : this.#read();
    if (word === undefined || word === this.#word) return;
    this.#word = word;
    this.#state.desired = phaseOf(word);
    this.#state.refused = false;
    this.#refusal = undefined;
    this.#wakeUp();
    this.goOn();
  }

  /** A lease or an attempt is over. The last one under an end lets the process leave it. */
  claimEnded(): void {
    if (this.#state.end !== undefined && !this.#state.acting) this.goOn();
  }

  /** Takes the next steps, outside of the caller's asynchronous context. */
  goOn(): void {
    this.#again = true;
    if (this.#running !== undefined || this.#closed) return;
    this.#running = outsideContext(() => this.#run()).finally(() => (this.#running = undefined));
  }

  /** What helps where a claim in both stores has no answer. */
  get advice(): string | undefined {
    const { desired } = this.#state;
    const why = this.#refusal?.error;
    if (desired === 'both' || !(why instanceof Error)) return undefined;
    const text = `This process is to be in "${desired}" and stays in both stores: ${why.message}`;
    return `${text} If the other store is gone for good, make the phase "${desired}!".`;
  }

  /** No lease is granted or renewed under an end any more. */
  stop(): void {
    this.#closed = true;
    this.#state.acting = false;
    if (this.#timer !== undefined) this.#rules.runtime.clearTimer(this.#timer);
    this.#wakeUp();
    this.#decide();
  }

  /** Gives presence and note back: no lease under the end is left. */
  async close(): Promise<void> {
    await this.#running;
    await this.#presence.withdraw();
    await Promise.all([this.#locks.from.close(), this.#locks.to.close()]);
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      for (;;) {
        const step = nextStep(this.#state, this.#inUse);
        if (step === 'wait' || this.#closed) break;
        await this.#take(step);
      }
      void this.#writeNote();
    }
  }

  async #take(step: PhaseStep): Promise<void> {
    const losses = this.#losses;
    begin(this.#state, step);
    const answer = await this.#do(step).catch((error: unknown): Refusal => ({ error }));
    // The presence was lost meanwhile.
    if (answer === undefined || this.#closed || this.#losses > losses) return;
    advance(this.#state, step, typeof answer === 'string' ? answer : 'refused');
    if (typeof answer !== 'string') this.#refused(answer);
    if (step === 'act' || step === 'leave') this.#changed();
  }

  /** Takes a step. Gives what became of it. `undefined`: a change of the phase ended it. */
  async #do(step: PhaseStep): Promise<Outcome | Refusal | undefined> {
    const { end } = this.#state;
    if (end === undefined) return 'passed';
    switch (step) {
      case 'announce':
        this.#bar = undefined;
        void this.#writeNote();
        await this.#presence.announce(end);
        return 'passed';
      case 'look':
        return (await this.#othersAt(oppositeOf(end))) ?? ((await this.#presence.isTaken(end)) ? 'taken' : 'passed');
      case 'settle': {
        const { settle, runtime } = this.#rules;
        if (settle === 0) return 'passed';
        this.#decide();
        const from = runtime.clock.now();
        await this.#pause(settle);
        // It may have been changed back.
        return runtime.clock.now() >= from + settle ? 'passed' : undefined;
      }
      case 'look again':
        return (await this.#othersAt(oppositeOf(end))) ?? (await this.#lookForLocks(end));
      case 'compare':
        return await this.#compare(end);
      case 'withdraw':
        await this.#presence.withdraw();
        return 'passed';
      default:
        return 'passed';
    }
  }

  /** The processes at `end`, if there are some. A store that does not answer hides them. */
  async #othersAt(end: End): Promise<Refusal | undefined> {
    try {
      const by = await this.#presence.othersAt(end);
      if (by.length === 0) return undefined;
      this.#bar = undefined;
      return { by };
    } catch (error) {
      if (this.#forced) return undefined;
      throw error;
    }
  }

  /** A process under `end` would not see a lock that the other store has alone. */
  async #lookForLocks(end: End): Promise<Outcome> {
    if (this.#forced) return 'passed';
    const { stores } = this.#rules;
    const other = oppositeOf(end);
    const { alone } = await findHolders(stores[other], stores[end], (ms) => this.#pause(ms), true);
    const [lone] = alone;
    if (lone === undefined) return 'passed';
    const { key, owner } = lone;
    throw new LockError('LOCK_UNAVAILABLE', `${JSON.stringify(key)} is held in "${other}" alone, by ${owner}.`, {
      key,
    });
  }

  /** Resolves when tokens of `end` exceed those of the other store, or the phase has changed. */
  async #compare(end: End): Promise<Outcome | undefined> {
    const { stores } = this.#rules;
    if ([stores.from, stores.to].some(({ traits }) => traits.fencing === 'none')) return 'passed';
    try {
      this.#bar ??= await barOf(this.#rules, oppositeOf(end));
    } catch (error) {
      if (!this.#forced) throw error;
      this.#bar = 0n;
    }
    const losses = this.#losses;
    const longest = this.#rules.presenceTtl / looksPerTtl;
    for (;;) {
      const wait = await untilAbove(this.#rules, end, this.#bar);
      if (wait === 0 || this.#forced) return 'passed';
      if (wait > this.#rules.memberTimeout) {
        const message = `Tokens of "${end}" are behind those of "${oppositeOf(end)}", for ${wait} ms more. Wait, or give the Locks option tokenFloor, ${this.#bar}, and make the phase "${end}!".`;
        this.#refused({ error: new LockError('LOCK_UNAVAILABLE', message) });
      }
      await this.#pause(Math.min(wait, longest));
      if (this.#closed || this.#state.desired !== end || this.#losses > losses) return undefined;
    }
  }

  #lost(error: unknown): void {
    if (this.#closed) return;
    const { acting } = this.#state;
    this.#losses += 1;
    lost(this.#state);
    this.#wakeUp();
    this.#tell('lost', { error });
    if (acting) this.#changed();
  }

  #changed(): void {
    const { acting, end } = this.#state;
    if (acting && end !== undefined) {
      this.#refusal = undefined;
      this.#presence.mark(end);
    }
    this.#tell('changed');
    this.#decide();
    this.#host.changed();
  }

  #refused(refusal: Refusal): void {
    this.#refusal = refusal;
    this.#decide();
    this.#tell('refused', refusal);
  }

  #tell(event: MigrationMessage['event'], more: Refusal = {}): void {
    if (!channels.migration.hasSubscribers) return;
    const effective = this.scope().phase;
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
    const { end, acting, desired } = this.#state;
    const effective: Phase = end !== undefined && (acting || this.#inUse) ? end : 'both';
    await this.#note.write(effective, this.#word ?? desired);
    if (this.#state.desired === 'both') this.#decide();
  }

  #pause(ms: number): Promise<void> {
    const { runtime } = this.#rules;
    return new Promise((resolve) => {
      const timer = runtime.setTimer(resolve, ms, false);
      this.#wakeUp = () => {
        runtime.clearTimer(timer);
        resolve();
      };
    });
  }

  /** Looks again soon: at the phase, at those in the way, and at leases that ended unseen. */
  #arm(): void {
    const { runtime, presenceTtl } = this.#rules;
    const again = (): void => {
      this.#arm();
      this.read();
      this.#state.refused = false;
      this.goOn();
    };
    this.#timer = runtime.setTimer(again, (presenceTtl / looksPerTtl) * (0.5 + runtime.random()), false);
  }

  get #inUse(): boolean {
    const { end } = this.#state;
    return end !== undefined && this.#host.inUse(end);
  }

  get #forced(): boolean {
    return this.#word !== undefined && isForced(this.#word);
  }
}
