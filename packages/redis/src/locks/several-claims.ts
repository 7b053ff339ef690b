import type { LockError } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import { neverSent } from '../wire/client.ts';
import { toLockError } from '../wire/replies.ts';
import type { ScriptCall, ScriptInput } from '../wire/script-call.ts';
import { scripts } from '../wire/scripts.ts';
import type { Script } from '../wire/scripts.ts';
import { retentionOf } from './call-terms.ts';
import type { CallTerms } from './call-terms.ts';
import { refusedOnce } from './lock-calls.ts';

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
    const unsent = this.leftNothing(error);
    return toLockError(error, { what: this.what(), claim: this.first, lua: this.script.lua, unsent });
  }

  protected leftNothing(error: unknown): boolean {
    return neverSent(this.#status, error);
  }

  protected get first(): Claim {
    return this.claims[0] as Claim;
  }
}

/** Takes the keys of all claims, or none of them. The claims have one floor, too. */
export class AttemptAll extends ClaimsCall {
  readonly script: Script = scripts.acquireAll;
  protected readonly about = 'an attempt';
  readonly #connections = this.terms.servers.connections();

  input(): ScriptInput {
    const { names, options } = this.terms;
    const { ttl, floor = 0n } = this.first;
    const keys = this.claims.flatMap(({ key }) => names.few(key));
    const owners = this.claims.map(({ owner }) => owner);
    return [keys.length, ...keys, ttl, `${floor}`, retentionOf(options, ttl), ...owners];
  }

  protected override leftNothing(error: unknown): boolean {
    return super.leftNothing(error) || refusedOnce(this.terms, this.#connections, error);
  }
}
