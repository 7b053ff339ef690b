import type { Claim, KeyState, LockProvider } from '../contract.ts';
import { LockError, isLockError } from '../errors/lock-error.ts';
import { checkKey, describe, isKey } from '../options/key.ts';
import type { LockHolder, LockState } from '../lock-state.ts';
import { withJson } from './hold/printed.ts';
import { releaseOnce } from './release/release-once.ts';

/** The state of `key`, with the key in each holder. */
export async function inspectKey(provider: LockProvider, key: string): Promise<LockState> {
  checkKey(key);
  try {
    const state = await provider.inspect(key);
    return printable({ ...state, holders: state.holders.map((holder) => ({ key, ...holder })) });
  } catch (error) {
    throw known(error, `${provider.name} could not report the state of ${JSON.stringify(key)}; see the cause.`, key);
  }
}

function printable<State extends KeyState>(state: State): State {
  const { holders, members } = state;
  return {
    ...state,
    holders: holders.map((holder) => withJson({ ...holder })),
    ...(members && { members: members.map((each) => (each.holders === undefined ? each : printable(each))) }),
  };
}

/** The keys with `prefix` that are held or waited for. */
export async function* listKeys(provider: LockProvider, prefix: string): AsyncIterable<string> {
  if (typeof prefix !== 'string') {
    throw new LockError('LOCK_INVALID', `list(prefix): the prefix must be a string, not ${describe(prefix)}.`);
  }
  if (provider.list === undefined) {
    throw new LockError(
      'LOCK_INVALID',
      `The ${provider.name} provider cannot list its keys: it has no method "list". Use inspect(key) for keys that you know.`,
    );
  }
  try {
    // Another program may have stored a key that no call accepts.
    for await (const key of provider.list(prefix)) if (isKey(key)) yield key;
  } catch (error) {
    throw known(error, `${provider.name} could not list the keys with the prefix ${JSON.stringify(prefix)}.`);
  }
}

/** Releases what `inspect` shows of `holder`, of any process. `ttl` completes the claim. */
export async function forceRelease(
  provider: LockProvider,
  holder: Pick<LockHolder, 'key' | 'owner' | 'mode'>,
  ttl: number,
): Promise<boolean> {
  const { key, owner, mode } = readHolder(holder);
  // A store may contain other values than ours, one of which is this text. A composite checks its
  // own members.
  const { holders, members } = await inspectKey(provider, key);
  const shown = members !== undefined || holders.some((each) => each.owner === owner && each.mode === mode);
  if (!shown) return false;
  const claim: Claim = { key, owner, ttl, mode };
  const answer = await releaseOnce(provider, claim, (freed) => freed, 'forced');
  if (typeof answer === 'boolean') return answer;
  const message = `${provider.name} did not confirm that ${describe(owner)} was released from ${JSON.stringify(key)}. Check with inspect, then retry.`;
  throw known(answer, message, key);
}

function readHolder(holder: unknown): Pick<LockHolder, 'key' | 'owner' | 'mode'> {
  const { key, owner, mode } = (holder ?? {}) as { readonly [Name in keyof LockHolder]?: unknown };
  if (typeof owner !== 'string' || owner === '' || (mode !== 'exclusive' && mode !== 'shared')) {
    throw new LockError(
      'LOCK_INVALID',
      `forceRelease(holder) needs a holder returned by inspect, { key, owner, mode }, not ${describe(holder)}.`,
    );
  }
  checkKey(key);
  return { key, owner, mode };
}

/** An error of a provider, for users. */
function known(error: unknown, message: string, key?: string): LockError {
  if (isLockError(error)) return error;
  return new LockError('LOCK_UNAVAILABLE', message, key === undefined ? { cause: error } : { cause: error, key });
}
