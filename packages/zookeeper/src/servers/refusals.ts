import { LockError, isLockError, isTlsRefusal, printHost } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { Address } from '../connection/address.ts';
import { AuthFailedError, ConnectError, FatalAnswerError, TlsOptionsError } from '../connection/errors.ts';
import { TlsMismatchError } from './tls-mismatch.ts';
import { UnusableServerError } from './voting-server.ts';

/**
 * In ms: how long a refusal is repeated without asking again. With less, each call asks the
 * servers.
 */
const remembered = 1_000;

/** Failures that a retry would not fix. */
export class Refusals {
  readonly #addresses: readonly Address[];
  readonly #runtime: Runtime;
  /** The servers that must not grant locks, with the reason. */
  readonly #unusable = new Map<string, string>();
  readonly #usable = new Set<string>();
  #latest: LockError | undefined;
  #latestAt = 0;

  constructor(addresses: readonly Address[], runtime: Runtime) {
    this.#addresses = addresses;
    this.#runtime = runtime;
  }

  /** The last refusal, while it is recent. */
  get latest(): LockError | undefined {
    return this.#runtime.clock.now() - this.#latestAt < remembered ? this.#latest : undefined;
  }

  accepted(address: Address): void {
    this.#usable.add(printHost(address));
    this.#unusable.delete(printHost(address));
  }

  /** Whether the server was accepted before. */
  knows(address: Address): boolean {
    return this.#usable.has(printHost(address));
  }

  /** The `LOCK_MISCONFIGURED` for `error`, if it means one. */
  read(error: unknown): LockError | undefined {
    const refusal = this.#refusal(error);
    if (refusal === undefined) return undefined;
    this.#latest = refusal;
    this.#latestAt = this.#runtime.clock.now();
    return refusal;
  }

  #refusal(error: unknown): LockError | undefined {
    if (isLockError(error, 'LOCK_MISCONFIGURED')) return error;
    if (error instanceof AuthFailedError) {
      const message = `@locks/zookeeper: ${error.message}. Check option "auth".`;
      return new LockError('LOCK_MISCONFIGURED', message, { cause: error });
    }
    const unusable = whyUnusable(error);
    if (unusable === undefined) return undefined;
    const { address, why, advice } = unusable;
    this.#usable.delete(printHost(address));
    this.#unusable.set(printHost(address), why);
    if (this.#addresses.some((each) => !this.#unusable.has(printHost(each)))) return undefined;
    const servers = [...this.#unusable].map(([each, reason]) => `${each} (${reason})`).join(', ');
    const message = `@locks/zookeeper: no lock can be taken from ${servers}: ${advice}.`;
    return new LockError('LOCK_MISCONFIGURED', message, { cause: error });
  }
}

/** Why a server must not grant locks, and what to do. `undefined`: another attempt may succeed. */
function whyUnusable(
  error: unknown,
): { readonly address: Address; readonly why: string; readonly advice: string } | undefined {
  if (error instanceof UnusableServerError) {
    const advice = 'name at least one server that takes part in votes and has a quorum';
    return { address: error.address, why: error.mode, advice };
  }
  if (error instanceof FatalAnswerError && error.code === 'SASL_REQUIRED') {
    const advice = 'give credentials of a scheme that the servers ask for, as option "auth", or let them take others';
    return { address: error.address, why: 'it asks for other credentials', advice };
  }
  if (error instanceof TlsMismatchError) return { address: error.address, why: error.message, advice: error.advice };
  if (!(error instanceof ConnectError)) return undefined;
  if (!(error.cause instanceof TlsOptionsError || isTlsRefusal(error.cause))) return undefined;
  return { address: error.address, why: `TLS: ${error.cause.message.slice(0, 80)}`, advice: 'check option "tls"' };
}
