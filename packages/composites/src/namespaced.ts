import type { KeyState, LockProvider, Traits, UnknownState } from '@locks/core';
import { LockError, isLockError, misconfigured } from '@locks/core/adapter';
import { describe, printAsProvider, shortKey } from '@locks/core/composite';
import { lackingMethod } from './combine/options.ts';

/** In UTF-8 bytes. A longer one would leave no room for a hash. */
const longestPrefix = 200;

interface Keyed {
  readonly key: string;
}

/**
 * `provider` with a part of its keys: each key is prefixed with `prefix` and its length. So keys of
 * two prefixes never collide: `a` and `bc` give another name than `ab` and `c`. Answers, states and
 * errors have the keys without it; the message of an error names both. `list` lists the keys of the
 * prefix only. A name over 512 bytes is hashed, and not listed. `close` closes `provider`.
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
  const length = Buffer.byteLength(prefix);
  const start = `${length}:${prefix}:`;
  // Another character than in names that are not hashed, so the two never collide.
  const hashed = `${length}:${prefix}#`;
  const nameOf = (key: string): string => shortKey(`${start}${key}`, hashed, key);
  const { list, time, register, outage } = provider;

  async function call<C extends Keyed, T>(claim: C, send: (named: C) => Promise<T>): Promise<T> {
    const key = nameOf(claim.key);
    try {
      return await send({ ...claim, key });
    } catch (error) {
      throw withKey(error, key, claim.key);
    }
  }

  /** A hash: with the prefix the name could be too long, or contain non-ASCII characters. */
  function registerOf(name: string): string {
    const { createHash } = process.getBuiltinModule('node:crypto');
    return createHash('sha256').update(`${start}${name}`).digest('base64url');
  }

  async function* listKeys(keys: string): AsyncIterable<string> {
    for await (const name of provider.list?.(`${start}${keys}`) ?? []) yield name.slice(start.length);
  }

  return printAsProvider<LockProvider>('Namespaced', {
    name: provider.name,
    get traits(): Traits {
      return provider.traits;
    },
    tryAcquire: (claim, wake) => call(claim, (named) => provider.tryAcquire(named, wake)),
    renew: (claim, token) => call(claim, (named) => provider.renew(named, token)),
    release: (claim) => call(claim, (named) => provider.release(named)),
    inspect: async (key) => about(await call({ key }, (named) => provider.inspect(named.key)), nameOf(key), key),
    close: () => provider.close(),
    ...(list && { list: listKeys }),
    ...(time && { time: () => time.call(provider) }),
    ...(register && { register: (name, change) => register.call(provider, registerOf(name), change) }),
    ...(outage && { outage: () => outage.call(provider) }),
  });
}

/** `state` of a provider about the key `name`, converted to `key`. */
function about<State extends KeyState | UnknownState>(state: State, name: string, key: string): State {
  if (state.holders === undefined) return { ...state, error: withKey(state.error, name, key) as Error };
  const { members } = state;
  return { ...state, key, ...(members && { members: members.map((each) => about(each, name, key)) }) };
}

/** `error` of a provider about `name`, converted to `key`. */
function withKey(error: unknown, name: string, key: string): unknown {
  if (!isLockError(error) || error.key === undefined) return error;
  const message = `${JSON.stringify(key)} is ${JSON.stringify(name)} in the store: ${error.message}`;
  const { code, cause = error, sent, retryAfter } = error;
  return new LockError(code, message, { key, cause, sent, retryAfter });
}

function isPrefix(prefix: unknown): boolean {
  if (typeof prefix !== 'string' || prefix.includes('\0') || !prefix.isWellFormed()) return false;
  const length = Buffer.byteLength(prefix);
  return length >= 1 && length <= longestPrefix;
}
