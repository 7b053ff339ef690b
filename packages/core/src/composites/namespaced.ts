import type { Busy, Claim, Grant, KeyState, LockProvider, UnknownState, Renewal, Traits } from '../contract.ts';
import { LockError, isLockError } from '../errors/lock-error.ts';
import { misconfigured } from '../errors/misconfigured.ts';
import { describe, shortKey } from '../options/key.ts';
import { lackingMethod } from './combine/options.ts';

/** In UTF-8 bytes. A longer one would leave no room for a hash. */
const longestPrefix = 200;

/**
 * `provider` with a part of its keys: each key gets `prefix` and its length in front. So keys of
 * two prefixes never meet: `a` and `bc` give another name than `ab` and `c`. Answers, states and
 * errors have the keys without it. `list` lists the keys of the prefix only. A name over 512 bytes
 * is hashed, and not listed. `close` closes `provider`.
 * @throws `LOCK_MISCONFIGURED` unless `prefix` has 1 to 200 UTF-8 bytes, no NUL and no lone
 * surrogate.
 */
export function namespaced(provider: LockProvider, prefix: string): LockProvider {
  const lacking = lackingMethod(provider);
  if (lacking !== undefined) throw misconfigured('namespaced', `its provider has no ${lacking}()`);
  if (!isPrefix(prefix)) {
    const expected = `a string of 1 to ${longestPrefix} UTF-8 bytes, without NUL and lone surrogates`;
    throw misconfigured('namespaced', `its prefix must be ${expected}, not ${describe(prefix)}`);
  }
  return new NamespacedProvider(provider, prefix);
}

class NamespacedProvider implements LockProvider {
  readonly name: string;
  readonly list?: (prefix: string) => AsyncIterable<string>;
  readonly outage?: () => unknown;
  readonly time?: () => Promise<number>;
  readonly register?: NonNullable<LockProvider['register']>;
  readonly tryAcquireAll?: (claims: readonly Claim[]) => Promise<readonly Grant[] | false>;
  readonly renewAll?: NonNullable<LockProvider['renewAll']>;
  readonly #provider: LockProvider;
  readonly #start: string;
  readonly #hashed: string;

  constructor(provider: LockProvider, prefix: string) {
    this.#provider = provider;
    this.name = provider.name;
    const length = Buffer.byteLength(prefix);
    this.#start = `${length}:${prefix}:`;
    // Another character than in names that are not hashed, so the two never meet.
    this.#hashed = `${length}:${prefix}#`;
    if (provider.list !== undefined) this.list = (keys) => this.#list(keys);
    if (provider.time !== undefined) this.time = () => provider.time?.() as Promise<number>;
    const { tryAcquireAll, renewAll } = provider;
    if (tryAcquireAll)
      this.tryAcquireAll = (claims) => this.#callAll(claims, (named) => tryAcquireAll.call(provider, named));
    if (renewAll) this.renewAll = (claims) => this.#callAll(claims, (named) => renewAll.call(provider, named));
    if (provider.register !== undefined) {
      this.register = (name, change) =>
        provider.register?.(this.#registerOf(name), change) as Promise<string | undefined>;
    }
    if (provider.outage !== undefined) this.outage = () => provider.outage?.();
  }

  get traits(): Traits {
    return this.#provider.traits;
  }

  tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    return this.#call(claim.key, (key) => this.#provider.tryAcquire({ ...claim, key }, wake));
  }

  renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    return this.#call(claim.key, (key) => this.#provider.renew({ ...claim, key }, token));
  }

  release(claim: Claim): Promise<boolean> {
    return this.#call(claim.key, (key) => this.#provider.release({ ...claim, key }));
  }

  async inspect(key: string): Promise<KeyState> {
    const state = await this.#call(key, (name) => this.#provider.inspect(name));
    return about(state, this.#nameOf(key), key);
  }

  close(): Promise<void> {
    return this.#provider.close();
  }

  /** A hash: with the prefix the name could be too long, and have other characters than ASCII. */
  #registerOf(name: string): string {
    const { createHash } = process.getBuiltinModule('node:crypto');
    return createHash('sha256').update(`${this.#start}${name}`).digest('base64url');
  }

  async #callAll<T>(claims: readonly Claim[], send: (named: readonly Claim[]) => Promise<T>): Promise<T> {
    const named = claims.map((claim) => ({ ...claim, key: this.#nameOf(claim.key) }));
    try {
      return await send(named);
    } catch (error) {
      let own = error;
      named.forEach(({ key }, index) => (own = withKey(own, key, claims[index]?.key ?? key)));
      throw own;
    }
  }

  async #call<T>(key: string, send: (name: string) => Promise<T>): Promise<T> {
    const name = this.#nameOf(key);
    try {
      return await send(name);
    } catch (error) {
      throw withKey(error, name, key);
    }
  }

  #nameOf(key: string): string {
    return shortKey(`${this.#start}${key}`, this.#hashed, key);
  }

  async *#list(keys: string): AsyncIterable<string> {
    const names = `${this.#start}${keys}`;
    try {
      for await (const name of this.#provider.list?.(names) ?? []) yield name.slice(this.#start.length);
    } catch (error) {
      throw withKey(error, names, keys);
    }
  }
}

/** `state` of a provider, about the key `name`, as one about `key`. */
function about<State extends KeyState | UnknownState>(state: State, name: string, key: string): State {
  if (state.holders === undefined) return { ...state, error: withKey(state.error, name, key) as Error };
  const { members } = state;
  return { ...state, key, ...(members && { members: members.map((each) => about(each, name, key)) }) };
}

/** `error` of a provider about `name`, as one about `key`. */
function withKey(error: unknown, name: string, key: string): unknown {
  if (!isLockError(error)) return error;
  const message = error.message.replaceAll(quoted(name), () => quoted(key)).replaceAll(name, () => key);
  if (error.key === undefined && message === error.message) return error;
  const { code, cause = error, sent, retryAfter, result } = error;
  return new LockError(code, message, { key, cause, sent, retryAfter, result });
}

/** As messages quote a key, without the quotes. */
function quoted(key: string): string {
  return JSON.stringify(key).slice(1, -1);
}

function isPrefix(prefix: unknown): boolean {
  if (typeof prefix !== 'string' || prefix.includes('\0') || !prefix.isWellFormed()) return false;
  const length = Buffer.byteLength(prefix);
  return length >= 1 && length <= longestPrefix;
}
