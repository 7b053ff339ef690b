import type { LockError } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { JointCall } from '../wire/script-batches.ts';
import { changedNothing, neverSent } from '../wire/client.ts';
import { toLockError } from '../wire/replies.ts';
import { outlivesGuard } from '../wire/restart-guard.ts';
import type { ScriptInput } from '../wire/script-call.ts';
import { scripts } from '../wire/scripts.ts';
import type { Script } from '../wire/scripts.ts';
import { kindOf, mustKeepCounter, retentionOf } from './call-terms.ts';
import type { CallTerms } from './call-terms.ts';

/** The default retention of the scripts, in ms: see `lua/token.lua`. */
const scriptRetention = 3_600_000;

const none: readonly never[] = [];

/** A call of one claim. `status`: the client's before the call. */
abstract class ClaimCall implements JointCall {
  abstract readonly script: Script;
  abstract readonly many: Script | undefined;
  protected abstract readonly about: string;
  protected readonly terms: CallTerms;
  protected readonly claim: Claim;
  readonly #status: string;
  #within = 0;

  constructor(terms: CallTerms, claim: Claim, status: string) {
    this.terms = terms;
    this.claim = claim;
    this.#status = status;
  }

  abstract joins(other: JointCall): boolean;
  abstract input(): ScriptInput;
  abstract manyKeys(): readonly string[];
  abstract manyArgs(): readonly (string | number)[];

  get owner(): string {
    return this.claim.owner;
  }

  get within(): number {
    return this.#within;
  }

  lasting(within: number): this {
    this.#within = within;
    return this;
  }

  what(): string {
    return `${this.about} on ${JSON.stringify(this.claim.key)}`;
  }

  explain(error: unknown): LockError {
    const { claim, script } = this;
    return toLockError(error, { what: this.what(), claim, lua: script.lua, unsent: this.leftNothing(error) });
  }

  /** Whether a call that failed with `error` certainly left nothing behind. */
  protected leftNothing(error: unknown): boolean {
    return neverSent(this.#status, error);
  }

  protected get retention(): number {
    return retentionOf(this.terms.options, this.claim.ttl);
  }
}

/** What this process knows about an attempt. */
export interface AttemptState {
  readonly others: readonly Claim[] | undefined;
  /** Claims of this process wait for the key. */
  readonly awaited: boolean;
  /** What was assigned to the claim gets a token above its floor. */
  readonly raises: boolean;
}

/**
 * Takes the key. With `others` it takes or keeps a position in the queue, and keeps those of
 * `others`.
 */
export class Attempt extends ClaimCall {
  protected readonly about = 'an attempt';
  readonly script: Script;
  /** Decides it together with others. `undefined`: it is sent alone. */
  readonly many: Script | undefined;
  readonly #others: readonly Claim[] | undefined;
  readonly #raises: boolean;
  /** By the clock, not later than the send. */
  readonly #sentAt: number;
  readonly #connections: unknown;

  constructor(terms: CallTerms, claim: Claim, status: string, { others, awaited, raises }: AttemptState) {
    super(terms, claim, status);
    const { restartGuard } = terms.options;
    const { lease = claim.ttl } = claim;
    if (restartGuard !== undefined && lease > restartGuard) throw outlivesGuard(claim, lease, restartGuard);
    const shared = claim.mode === 'shared';
    this.script = shared ? scripts.acquireShared : scripts.acquire;
    const joins = !shared && !awaited && restartGuard === undefined && (others === undefined || others.length === 0);
    this.many = joins ? scripts.acquireEach : undefined;
    this.#others = others;
    this.#raises = raises;
    this.#sentAt = others === undefined ? 0 : terms.clock.now();
    this.#connections = terms.servers.connections();
  }

  input(): ScriptInput {
    const { names, options, text, textInQueue, waiterOf, assignedOn } = this.terms;
    const { key, owner, ttl, mode, permits } = this.claim;
    const { restartGuard } = options;
    const others = this.#others;
    const keys = names.all(key);
    const args = [owner, ttl, others === undefined ? text : textInQueue];
    const above = this.#above;
    const retention = this.retention;
    const plain = above === 0 && retention === scriptRetention && mode !== 'shared' && restartGuard === undefined;
    if (!plain || others !== undefined) {
      args.push(above, retention);
      if (mode === 'shared') args.push(permits ?? '*');
      else args.push(`${this.#raises ? '+' : ''}${others === undefined ? '' : assignedOn(this.claim, this.#sentAt)}`);
      for (const other of others ?? none) args.push(waiterOf(other), assignedOn(other, this.#sentAt));
    }
    if (restartGuard === undefined) return [keys.length, ...keys, ...args];
    return [keys.length + 1, ...keys, names.marker, ...args, waiterOf(this.claim), restartGuard];
  }

  joins({ claim }: Attempt): boolean {
    return claim.ttl === this.claim.ttl && claim.floor === this.claim.floor;
  }

  manyArgs(): readonly (string | number)[] {
    return [this.claim.ttl, this.#above, this.retention];
  }

  manyKeys(): readonly string[] {
    return this.terms.names.few(this.claim.key);
  }

  protected override leftNothing(error: unknown): boolean {
    return super.leftNothing(error) || refusedOnce(this.terms, this.#connections, error);
  }

  get #above(): string | number {
    const { floor } = this.claim;
    return floor === undefined ? 0 : `${floor}`;
  }
}

/**
 * Whether the server refused what was sent only once, over `connections`, or was not sent. A client
 * resends what a broken connection left unanswered, and reports the second outcome only.
 */
function refusedOnce({ servers }: CallTerms, connections: unknown, error: unknown): boolean {
  return (changedNothing(error) || neverSent('close', error)) && servers.unbroken(connections);
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

  joins(other: Renewal): boolean {
    return other.claim.ttl === this.claim.ttl && other.#keepsCounter === this.#keepsCounter;
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

  /** The attempt has left its grant. */
  protected override leftNothing(): boolean {
    return false;
  }
}

/** Releases the hold or the position of the claim. */
export class Release extends ClaimCall {
  protected readonly about = 'a release';
  readonly completes = true;
  readonly script: Script = scripts.release;
  readonly many: Script | undefined;

  /** `awaited`: claims of this process wait for the key. */
  constructor(terms: CallTerms, claim: Claim, status: string, awaited: boolean) {
    super(terms, claim, status);
    this.many = claim.mode === 'shared' || awaited ? undefined : scripts.releaseEach;
  }

  input(): ScriptInput {
    const { names, text } = this.terms;
    const keys = names.all(this.claim.key);
    return [keys.length, ...keys, this.claim.owner, text, kindOf(this.claim)];
  }

  joins(): boolean {
    return true;
  }

  manyArgs(): readonly (string | number)[] {
    return none;
  }

  manyKeys(): readonly string[] {
    return this.terms.names.two(this.claim.key);
  }
}
