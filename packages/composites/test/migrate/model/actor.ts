import type { Scope } from '../../../src/migrate/decisions.ts';
import type { PhaseMachine, PhaseWorld, StoreSteps } from '../../../src/migrate/phase-machine.ts';
import { oppositeOf } from '../../../src/migrate/phase.ts';
import type { End, Phase } from '../../../src/migrate/phase.ts';
import { ClaimSteps } from './claim-steps.ts';
import type { Owner, Rules } from './owner.ts';
import { storeOf } from './world.ts';
import type { Call, Process, Setting, World } from './world.ts';

/** What the code around the machine does for one process, in the model. */
export class Actor implements PhaseWorld, StoreSteps, Owner {
  readonly setting: Setting;
  readonly world: World;
  readonly index: number;
  readonly rules: Rules;
  readonly machine: PhaseMachine;
  readonly claims: ClaimSteps;
  readonly steps: StoreSteps = this;

  constructor(setting: Setting, rules: Rules, world: World, index: number) {
    this.setting = setting;
    this.rules = rules;
    this.world = world;
    this.index = index;
    this.claims = new ClaimSteps(this);
    this.machine = new rules.PhaseMachine(this, this.self.phase);
  }

  get self(): Process {
    return this.world.processes[this.index]!;
  }

  get now(): number {
    return this.world.now;
  }

  get present(): boolean {
    if (this.self.stage === 'plain') return true;
    return this.self.presence !== undefined && this.now < this.self.presence.until;
  }

  get presentUntil(): number {
    return this.self.stage === 'plain' ? Infinity : (this.self.presence?.until ?? this.now);
  }

  /** What an attempt begins under. */
  scope(): Scope {
    return this.rules.scopeOf(this.self.phase, this.present);
  }

  newNumber(): number {
    this.world.numbers += 1;
    return this.world.numbers;
  }

  send(
    kind: Call['kind'],
    store: number,
    about: Call['about'],
    more: Partial<Pick<Call, 'number' | 'token'>> = {},
  ): void {
    const { number = this.newNumber(), token } = more;
    this.self.calls.push({ kind, store, about, number, token, sentAt: this.now, answer: undefined, orphan: false });
  }

  storeOf(end: End): number {
    return storeOf(this.setting, this.self, end);
  }

  // What the machine asks for.

  announce(end: End): void {
    this.send('announce', this.storeOf(end), { migration: this.self.migration, end });
  }

  look(end: End): void {
    const other = oppositeOf(end);
    this.send('look', this.storeOf(other), { migration: this.self.migration, end: other });
  }

  check(end: End): void {
    this.send('check', this.storeOf(end), { migration: this.self.migration, end });
  }

  mark(end: End): void {
    const other = oppositeOf(end);
    const number = this.setting.sameMarks ? 1 : this.newNumber();
    this.send('mark', this.storeOf(other), { migration: this.self.migration, end: other }, { number });
  }

  probe(end: End): void {
    this.send('probe other', this.storeOf(oppositeOf(end)), this.setting.keys);
  }

  withdraw(end: End): void {
    const { presence } = this.self;
    if (presence !== undefined) this.self.returns.push({ store: this.storeOf(end), number: presence.number });
    this.self.presence = undefined;
    this.#forget();
  }

  pause(): void {
    // `retry` may come at any time.
  }

  changed(): void {
    // A waiting claim repeats at any time.
  }

  inUse(): boolean {
    const { claim } = this.self;
    if (claim === undefined || claim.stage === 'waiting') return false;
    if (claim.stage === 'asking' || claim.stage === 'raising') return claim.scope.phase !== 'both';
    return this.rules.countsOnEnd(claim, this.now);
  }

  // What happens to it.

  /** The presence is renewed. */
  remain(): void {
    const { presence, phase } = this.self;
    if (presence === undefined || phase.end === undefined) return;
    const about = { migration: this.self.migration, end: phase.end };
    this.send('remain', this.storeOf(phase.end), about, { number: presence.number });
  }

  /** A call about the phase has no answer. */
  unanswered({ kind }: Call): void {
    if (kind !== 'remain') this.machine.failed();
  }

  desire(phase: Phase): void {
    this.machine.desire(phase);
  }

  /** It takes the mark of an end away, step by step. */
  lift(end: End): void {
    this.self.lifts -= 1;
    this.self.lift = { end, done: 0 };
    this.#lift();
  }

  #lift(): void {
    const { lift, migration } = this.self;
    if (lift === undefined) return;
    const { end } = lift;
    const other = oppositeOf(end);
    const number = this.self.seen[indexOf(end)];
    switch (this.rules.lifting[lift.done]) {
      case 'read':
        if (this.self.phase.desired === 'both') this.send('read mark', this.storeOf(end), { migration, end });
        else this.self.lift = undefined;
        break;
      case 'look':
        this.send('look back', this.storeOf(other), { migration, end: other });
        break;
      case 'lift':
        if (number !== 0) this.send('lift', this.storeOf(end), { migration, end }, { number });
        this.self.lift = undefined;
        break;
      default:
    }
  }

  /** An answer to a step of it. `undefined`: there is none. */
  lifted({ kind, answer }: Call): void {
    const { lift, phase, seen } = this.self;
    if (lift === undefined || kind === 'lift') return;
    const mark = typeof answer === 'object' ? answer.token : 0;
    if (mark !== 0 && phase.desired === 'both') seen[indexOf(lift.end)] = mark;
    const goesOn = kind === 'read mark' ? mark !== 0 : answer === 'no';
    if (goesOn) lift.done += 1;
    else this.self.lift = undefined;
    this.#lift();
  }

  /** The presence is over, and the process learns of it. */
  lost(): void {
    this.self.presence = undefined;
    this.#forget();
    this.machine.lost();
  }

  /** An answer of a call about the phase. */
  heard({ kind, number, answer, sentAt }: Call): void {
    const until = sentAt + this.setting.presenceTtl;
    const { end } = this.self.phase;
    switch (kind) {
      case 'announce':
        this.self.presence = { number, until };
        if (this.now < until) this.machine.stepped();
        else this.lost();
        break;
      case 'remain':
        if (this.self.presence?.number !== number) break;
        if (answer !== 'yes') this.lost();
        else if (this.present) this.self.presence.until = until;
        break;
      case 'look':
        this.machine.looked(answer === 'yes');
        break;
      case 'check': {
        const mark = (answer as { readonly token: number }).token;
        if (mark === 0 || end === undefined || mark !== this.self.seen[indexOf(end)]) this.machine.looked(mark !== 0);
        else {
          const about = { migration: this.self.migration, end };
          this.send('lift own', this.storeOf(end), about, { number: mark });
        }
        break;
      }
      case 'lift own':
        this.machine.looked(answer !== 'yes');
        break;
      case 'mark':
        this.machine.stepped();
        break;
      case 'probe other':
        if (end !== undefined) {
          const floor = (answer as { readonly token: number }).token + this.setting.slack;
          this.send('probe own', this.storeOf(end), this.setting.keys, { token: floor });
        }
        break;
      default:
        this.machine.probed(BigInt((answer as { readonly token: number }).token));
    }
  }

  /** Calls of before say nothing any more. */
  #forget(): void {
    for (const call of this.self.calls) if (isOfPhase(call)) call.orphan = true;
    this.self.calls = this.self.calls.filter(({ orphan, answer }) => !orphan || answer === undefined);
  }
}

function indexOf(end: End): 0 | 1 {
  return end === 'from' ? 0 : 1;
}

/** Whether a call is one of the phase machine's. */
export function isOfPhase({ kind }: Call): boolean {
  return kind !== 'ask' && kind !== 'renew' && !isOfLift({ kind });
}

/** Whether a call is one of a process that takes a mark away. */
export function isOfLift({ kind }: Pick<Call, 'kind'>): boolean {
  return kind === 'read mark' || kind === 'look back' || kind === 'lift';
}
