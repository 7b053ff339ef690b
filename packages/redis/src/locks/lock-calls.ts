import { isPresence } from '@locks/core/adapter';
import type { LockError } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { JointCall } from '../wire/script-batches.ts';
import { neverSent } from '../wire/client.ts';
import { toLockError } from '../wire/replies.ts';
import { outlivesGuard } from '../wire/restart-guard.ts';
import type { ScriptCall, ScriptInput } from '../wire/script-call.ts';
import { scripts } from '../wire/scripts.ts';
import type { Script } from '../wire/scripts.ts';
import { kindOf, mustKeepCounter, retentionOf } from './call-terms.ts';
import type { CallTerms } from './call-terms.ts';

/** The retention that the scripts know without being told, in ms: see `lua/token.lua`. */
const scriptRetention = 3_600_000;

const none: readonly never[] = [];

/** A call of one claim. `status`: that of the client before the call. */
abstract class ClaimCall implements JointCall {
  abstract readonly script: Script;
  protected abstract readonly about: string;
  protected readonly terms: CallTerms;
  protected readonly claim: Claim;
  readonly #status: string;

  constructor(terms: CallTerms, claim: Claim, status: string) {
    this.terms = terms;
    this.claim = claim;
    this.#status = status;
  }

  abstract input(): ScriptInput;
  abstract manyKeys(): readonly string[];
  abstract manyArgs(): readonly (string | number)[];

  get owner(): string {
    return this.claim.owner;
  }

  what(): string {
    return `${this.about} on ${JSON.stringify(this.claim.key)}`;
  }

  explain(error: unknown): LockError {
    const { claim, script } = this;
    const unsent = neverSent(this.#status, error);
    return toLockError(error, { what: this.what(), claim, lua: script.lua, unsent });
  }

  protected get retention(): number {
    return retentionOf(this.terms.options, this.claim.ttl);
  }
}

/** What this process knows of an attempt. */
export interface AttemptState {
  readonly others: readonly Claim[] | undefined;
  /** Claims of this process are in line on the key. */
  readonly awaited: boolean;
  /** What was assigned to the claim gets a token above its floor. */
  readonly raises: boolean;
}

/**
 * Takes the key. With `others` it takes a place in line, or keeps it, and keeps those of `others`.
 */
export class Attempt extends ClaimCall {
  protected readonly about = 'an attempt';
  readonly script: Script;
  /** Decides it with others. `undefined`: it travels alone. */
  readonly many: Script | undefined;
  readonly #others: readonly Claim[] | undefined;
  readonly #raises: boolean;
  /** Not later than the send, by the clock. */
  readonly #sentAt: number;

  constructor(terms: CallTerms, claim: Claim, status: string, { others, awaited, raises }: AttemptState) {
    super(terms, claim, status);
    const { restartGuard } = terms.options;
    if (restartGuard !== undefined && claim.ttl > restartGuard && !isPresence(claim)) {
      throw outlivesGuard(claim, restartGuard);
    }
    const shared = claim.mode === 'shared';
    this.script = shared ? scripts.acquireShared : scripts.acquire;
    const joins = !shared && !awaited && restartGuard === undefined && (others === undefined || others.length === 0);
    this.many = joins ? scripts.acquireEach : undefined;
    this.#others = others;
    this.#raises = raises;
    this.#sentAt = others === undefined ? 0 : terms.clock.now();
  }

  input(): ScriptInput {
    const { names, options, text, textInLine, waiterOf, assignedOn } = this.terms;
    const { key, owner, ttl, mode, permits, resize } = this.claim;
    const { restartGuard } = options;
    const others = this.#others;
    const keys = names.all(key);
    const args = [owner, ttl, others === undefined ? text : textInLine];
    const above = this.#above;
    const retention = this.retention;
    const plain = above === 0 && retention === scriptRetention && mode !== 'shared' && restartGuard === undefined;
    if (!plain || others !== undefined) {
      args.push(above, retention);
      if (mode === 'shared') args.push(resize === true ? `-${permits}` : (permits ?? '*'));
      else args.push(`${this.#raises ? '+' : ''}${others === undefined ? '' : assignedOn(this.claim, this.#sentAt)}`);
      for (const other of others ?? none) args.push(waiterOf(other), assignedOn(other, this.#sentAt));
    }
    if (restartGuard === undefined) return [keys.length, ...keys, ...args];
    return [keys.length + 1, ...keys, names.marker, ...args, waiterOf(this.claim), restartGuard];
  }

  manyArgs(): readonly (string | number)[] {
    return [this.claim.ttl, this.#above, this.retention];
  }

  manyKeys(): readonly string[] {
    return this.terms.names.few(this.claim.key);
  }

  get #above(): string | number {
    const { floor } = this.claim;
    return floor === undefined ? 0 : `${floor}`;
  }
}

/** A call of several claims, of one ttl. */
abstract class ClaimsCall implements ScriptCall {
  abstract readonly script: Script;
  protected abstract readonly about: string;
  protected readonly terms: CallTerms;
  protected readonly claims: readonly Claim[];
  readonly #status: string;

  constructor(terms: CallTerms, claims: readonly Claim[], status: string) {
    this.terms = terms;
    this.claims = claims;
    this.#status = status;
  }

  abstract input(): ScriptInput;

  what(): string {
    return `${this.about} on ${this.claims.length} keys, the first of them ${JSON.stringify(this.first.key)}`;
  }

  explain(error: unknown): LockError {
    const unsent = neverSent(this.#status, error);
    return toLockError(error, { what: this.what(), claim: this.first, lua: this.script.lua, unsent });
  }

  protected get first(): Claim {
    return this.claims[0] as Claim;
  }
}

/** Takes the keys of all claims, or none of them. The claims have one floor, too. */
export class AttemptAll extends ClaimsCall {
  readonly script: Script = scripts.acquireAll;
  protected readonly about = 'an attempt';

  input(): ScriptInput {
    const { names, options } = this.terms;
    const { ttl, floor = 0n } = this.first;
    const keys = this.claims.flatMap(({ key }) => names.few(key));
    const owners = this.claims.map(({ owner }) => owner);
    return [keys.length, ...keys, ttl, `${floor}`, retentionOf(options, ttl), ...owners];
  }
}

/** Restarts the ttl of each hold. */
export class RenewalAll extends ClaimsCall {
  readonly script: Script = scripts.renewEach;
  protected readonly about = 'a renewal';

  input(): ScriptInput {
    const { names, options, clock } = this.terms;
    const { ttl } = this.first;
    const retention = retentionOf(options, ttl);
    const keepsCounter = mustKeepCounter(clock.now(), ttl, retention);
    const input: [number, ...(string | number)[]] = [0];
    for (const { key } of this.claims) {
      input.push(...(keepsCounter ? names.few(key) : names.two(key)));
    }
    input[0] = input.length - 1;
    input.push(ttl, keepsCounter ? retention : 0);
    for (const { owner } of this.claims) input.push(owner);
    return input;
  }
}

/** Restarts the ttl of a hold. */
export class Renewal extends ClaimCall {
  protected readonly about: string = 'a renewal';
  readonly script: Script = scripts.renew;
  readonly many: Script | undefined;
  readonly #token: bigint | undefined;
  readonly #keepsCounter: boolean;

  constructor(terms: CallTerms, claim: Claim, status: string, token: bigint | undefined) {
    super(terms, claim, status);
    this.many = claim.mode === 'shared' || token !== undefined ? undefined : scripts.renewEach;
    this.#token = token;
    this.#keepsCounter = mustKeepCounter(terms.clock.now(), claim.ttl, this.retention);
  }

  input(): ScriptInput {
    const { names, options } = this.terms;
    const { key, owner, ttl } = this.claim;
    const keys = names.all(key);
    const raised = this.#token === undefined ? '' : `${this.#token}`;
    return [keys.length, ...keys, owner, ttl, raised, this.retention, options.channelPrefix];
  }

  manyArgs(): readonly (string | number)[] {
    return [this.claim.ttl, this.#keepsCounter ? this.retention : 0];
  }

  manyKeys(): readonly string[] {
    const { names } = this.terms;
    return this.#keepsCounter ? names.few(this.claim.key) : names.two(this.claim.key);
  }
}

/** Renews what an attempt was granted. */
export class Confirmation extends Renewal {
  protected override readonly about = 'an attempt';
}

/** Gives up what the claim has. */
export class Release extends ClaimCall {
  protected readonly about = 'a release';
  readonly script: Script = scripts.release;
  readonly many: Script | undefined;

  /** `awaited`: claims of this process are in line on the key. */
  constructor(terms: CallTerms, claim: Claim, status: string, awaited: boolean) {
    super(terms, claim, status);
    this.many = claim.mode === 'shared' || awaited ? undefined : scripts.releaseEach;
  }

  input(): ScriptInput {
    const { names, text } = this.terms;
    const keys = names.all(this.claim.key);
    return [keys.length, ...keys, this.claim.owner, text, kindOf(this.claim)];
  }

  manyArgs(): readonly (string | number)[] {
    return none;
  }

  manyKeys(): readonly string[] {
    return this.terms.names.two(this.claim.key);
  }
}
