import type { End } from '../../../src/migrate/phase.ts';
import { oppositeOf } from '../../../src/migrate/phase.ts';
import type { Owner } from './owner.ts';
import type { Call, Claim } from './world.ts';

const ends = ['from', 'to'] as const;

/** What the code around the decisions does for the claim of a process, in the model. */
export class ClaimSteps {
  readonly #actor: Owner;

  constructor(actor: Owner) {
    this.#actor = actor;
  }

  get #claim(): Claim {
    return this.#actor.self.claim!;
  }

  begin(key: number): void {
    const scope = this.#actor.scope();
    this.#actor.self.attempts -= 1;
    this.#actor.self.claim = {
      key,
      numbers: [0, 0],
      scope,
      stage: 'asking',
      clean: true,
      token: 0,
      sent: [0, 0],
      askedAt: 0,
      phase: scope.phase,
      until: 0,
      toldUntil: 0,
      end: 'from',
      step: 'renew',
    };
    this.#attempt();
  }

  /** A claim that waits asks again, perhaps under another phase. */
  repeat(): void {
    const claim = this.#claim;
    const scope = this.#actor.scope();
    this.#actor.self.attempts -= 1;
    if (!this.#actor.rules.keepsPlace(claim.scope, scope, claim.clean)) {
      this.#giveBack();
      claim.clean = true;
    }
    claim.scope = scope;
    claim.phase = scope.phase;
    claim.stage = 'asking';
    this.#attempt();
  }

  /** The holder gives its lease back, or a waiting claim leaves. */
  release(): void {
    this.#giveBack();
    this.#over();
  }

  renew(): void {
    const claim = this.#claim;
    this.#actor.self.renewals -= 1;
    claim.stage = 'renewing';
    claim.step = this.#actor.rules.renewalStep(claim.phase, this.#actor.scope());
    const first = claim.phase === 'both' ? (claim.step === 'shed' ? this.#endNow() : 'from') : claim.phase;
    this.#sendRenewal(first);
  }

  /** An answer about the claim, or none: `unknown`. */
  heard(call: Call, answer: Call['answer'] | 'unknown'): void {
    const claim = this.#claim;
    const end = this.#endOf(call.store);
    switch (claim.stage) {
      case 'asking':
        this.#asked(end, answer);
        break;
      case 'raising':
        if (answer === 'yes' && this.#actor.now < this.#claim.askedAt + this.#actor.setting.ttl) this.#hold();
        else this.#fail();
        break;
      case 'renewing':
        this.#renewed(end, answer);
        break;
      case 'carrying':
        claim.stage = 'held';
        if (typeof answer === 'object') {
          claim.end = oppositeOf(end);
          claim.toldUntil = claim.until;
          claim.phase = 'both';
        } else if (answer === 'unknown') this.#giveBackAt(end);
        break;
      default:
    }
    this.#actor.machine.goOn();
  }

  #attempt(): void {
    const { phase } = this.#claim.scope;
    this.#ask(phase === 'both' ? 'from' : phase, this.#claim.scope.floor);
  }

  #ask(end: End, floor: bigint | undefined): void {
    const { key, numbers, sent } = this.#claim;
    const at = indexOf(end);
    sent[at] = this.#actor.now;
    this.#claim.askedAt = sent[0];
    numbers[at] ||= this.#actor.newNumber();
    const number = numbers[at];
    const token = floor === undefined ? undefined : Number(floor);
    this.#actor.send('ask', this.#actor.storeOf(end), key, { number, token });
  }

  #asked(end: End, answer: Call['answer'] | 'unknown'): void {
    const claim = this.#claim;
    if (typeof answer !== 'object') {
      if (answer === 'unknown') claim.clean = false;
      // In both, a vote is given back. A place in the first line is left.
      if (end === 'to' && claim.scope.phase === 'both') this.#fail();
      else claim.stage = 'waiting';
      return;
    }
    claim.token = answer.token;
    if (claim.scope.phase !== 'both') {
      if (this.#actor.rules.mayHold(claim.scope, this.#actor.self.phase, this.#actor.present)) this.#hold();
      else this.#fail();
    } else if (end === 'from') this.#ask('to', BigInt(answer.token));
    else {
      claim.stage = 'raising';
      this.#sendRenewal('from');
    }
  }

  #renewed(end: End, answer: Call['answer'] | 'unknown'): void {
    const claim = this.#claim;
    if (answer !== 'yes') {
      // Unknown: it is held as long as before.
      if (answer !== 'no') claim.stage = 'held';
      else if (claim.phase === 'both' && this.#actor.rules.countsOnEnd(claim, this.#actor.now)) this.#fallBack();
      else this.#lose();
      return;
    }
    if (claim.phase === 'both' && claim.step === 'renew' && end === 'from') {
      this.#sendRenewal('to');
      return;
    }
    // An ended lease is never held again.
    if (this.#actor.now >= claim.until) {
      this.#fail();
      return;
    }
    claim.stage = 'held';
    if (claim.step === 'shed') {
      const { rules, self, present } = this.#actor;
      const scope = this.#actor.scope();
      if (scope.phase !== end || !rules.mayHold(scope, self.phase, present)) return;
      claim.phase = end;
      this.#giveBackAt(oppositeOf(end));
    }
    const until = this.#until();
    if (claim.phase !== 'both' || until >= claim.toldUntil) claim.toldUntil = 0;
    claim.until = Math.max(until, claim.toldUntil);
    if (claim.step === 'carry' && this.#actor.rules.renewalStep(claim.phase, this.#actor.scope()) === 'carry') {
      claim.stage = 'carrying';
      this.#ask(oppositeOf(end), BigInt(claim.token));
    }
  }

  /** The other store has let go of a lease that counts on its end. */
  #fallBack(): void {
    const claim = this.#claim;
    this.#giveBackAt(oppositeOf(claim.end));
    claim.phase = claim.end;
    claim.until = claim.toldUntil;
    claim.step = 'renew';
    this.#sendRenewal(claim.end);
  }

  #lose(): void {
    const { world, now } = this.#actor;
    if (now < this.#claim.until) world.problem ??= `key ${this.#claim.key} is lost before the end that was promised`;
    this.#fail();
  }

  #hold(): void {
    const claim = this.#claim;
    const { world } = this.#actor;
    claim.stage = 'held';
    claim.until = this.#until();
    if (this.#actor.now >= claim.until) {
      this.#fail();
      return;
    }
    const highest = world.highest[claim.key] ?? 0;
    if (claim.token <= highest)
      world.problem ??= `token ${claim.token} of key ${claim.key} is granted after ${highest}`;
    world.highest[claim.key] = Math.max(highest, claim.token);
  }

  /** Nothing of the claim is left. */
  #fail(): void {
    this.#giveBack();
    this.#over();
  }

  #over(): void {
    this.#actor.self.claim = undefined;
    this.#actor.machine.goOn();
  }

  #sendRenewal(end: End): void {
    const { key, numbers, sent, stage, token } = this.#claim;
    const number = numbers[indexOf(end)];
    sent[indexOf(end)] = this.#actor.now;
    const raised = stage === 'raising' ? token : undefined;
    this.#actor.send('renew', this.#actor.storeOf(end), key, { number, token: raised });
  }

  #until(): number {
    const { phase } = this.#claim;
    const until = phase === 'both' ? Math.min(...ends.map((end) => this.#untilOf(end))) : this.#untilOf(phase);
    return this.#actor.rules.heldUntil(phase, until, this.#actor.presentUntil);
  }

  #untilOf(end: End): number {
    return this.#claim.sent[indexOf(end)] + this.#actor.setting.ttl;
  }

  #giveBack(): void {
    for (const end of ends) this.#giveBackAt(end);
  }

  #giveBackAt(end: End): void {
    const { numbers } = this.#claim;
    const number = numbers[indexOf(end)];
    if (number !== 0) this.#actor.self.returns.push({ store: this.#actor.storeOf(end), number });
    numbers[indexOf(end)] = 0;
  }

  #endNow(): End {
    const { phase } = this.#actor.scope();
    return phase === 'both' ? 'from' : phase;
  }

  #endOf(store: number): End {
    return this.#actor.storeOf('from') === store ? 'from' : 'to';
  }
}

function indexOf(end: End): 0 | 1 {
  return end === 'from' ? 0 : 1;
}
