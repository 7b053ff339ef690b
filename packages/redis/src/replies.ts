import { LockError, isLockError, permitsRefused, upgradeRefused } from '@locks/core/adapter';
import type { Claim, Holder, KeyState } from '@locks/core';

/** What to grant the user that connects: every command the scripts and the wake channel use. A test runs under it. */
export const aclCommands: string =
  '+eval +evalsha +get +set +del +exists +pttl +pexpire +pexpireat +time +publish +subscribe +unsubscribe +ping +scan ' +
  '+zadd +zrem +zrange +zrevrange +zrangebyscore +zremrangebyscore +zcard +zcount +zscore +zmscore +hget +hset +hdel ' +
  '+hello +info +select +client|setname';

/**
 * The contract's error for what the client rejected with. An error reply means that nothing was done; a broken connection
 * leaves it unknown; core treats both alike. Only what a retry cannot mend is permanent. With `unsent` the command never left.
 */
export function toLockError(error: unknown, what: string, claim?: Claim, unsent = false): LockError {
  if (isLockError(error)) return error;
  const text = error instanceof Error ? error.message : String(error);
  const about = claim === undefined ? {} : { key: claim.key };
  const own = /\bLOCKS_(\w+)(?: (\S+))?/.exec(text);
  if (own !== null && claim !== undefined) return refusal(own[1], own[2] ?? '', claim);
  const cause = withoutCommand(error);
  if (/\b(?:NOPERM|NOAUTH|WRONGPASS)\b/.test(text)) {
    return new LockError(
      'LOCK_MISCONFIGURED',
      `Redis refuses ${what} for lack of permission: ${text} Check the credentials, and grant the user ~<prefix>* ~{<prefix>* &<prefix>* ${aclCommands}`,
      { ...about, cause },
    );
  }
  if (/\bunknown command|^ERR (?:syntax error|Unknown Redis command)/i.test(text)) {
    return new LockError(
      'LOCK_MISCONFIGURED',
      `Redis does not know a command of ${what}: ${text} It must be 6.2 or newer.`,
      {
        ...about,
        cause,
      },
    );
  }
  return new LockError('LOCK_UNAVAILABLE', `Redis failed at ${what}: ${text}`, {
    ...about,
    cause,
    sent: unsent ? false : undefined,
  });
}

/** The integer that a script returned, whatever the client makes of integers. */
export function toInteger(reply: unknown, what: string): number {
  const number = typeof reply === 'string' ? Number(reply) : reply;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  throw new LockError('LOCK_UNAVAILABLE', `Redis answered ${what} with something that is not an integer.`);
}

/** The state of `key`, from what the script says: see `lua/inspect.lua`. */
export function toKeyState(key: string, reply: unknown): KeyState {
  if (!Array.isArray(reply)) throw new LockError('LOCK_UNAVAILABLE', 'Redis answered an inspection with no list.');
  const [waiters, ...parts] = reply as readonly unknown[];
  const holders: Holder[] = [];
  for (let index = 0; index + 3 < parts.length; index += 4) {
    const [owner, mode, token, left] = parts.slice(index, index + 4);
    const remaining = toInteger(left, 'an inspection');
    holders.push({
      owner: String(owner),
      mode: mode === 'shared' ? 'shared' : 'exclusive',
      ...(typeof token === 'string' && /^\d+$/.test(token) ? { token: BigInt(token) } : {}),
      ...(remaining >= 0 ? { remaining } : {}),
    });
  }
  return { key, holders, waiters: toInteger(waiters, 'an inspection') };
}

/** A release that freed nothing, or was sent twice and heard of the second only: its connection was replaced meanwhile. */
export function releasedInDoubt({ key }: Claim): LockError {
  const name = JSON.stringify(key);
  return new LockError(
    'LOCK_UNAVAILABLE',
    `The connection to Redis was replaced during a release on ${name}: what it freed is unknown.`,
    { key },
  );
}

function refusal(kind: string | undefined, detail: string, claim: Claim): LockError {
  if (kind !== 'PERMITS') return upgradeRefused(claim);
  return permitsRefused(claim, detail === '*' ? undefined : Number(detail));
}

/** The client hangs the command on its errors, and AUTH has the password in it. */
function withoutCommand(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const bare = new Error(error.message);
  bare.name = error.name;
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? Object.assign(bare, { code }) : bare;
}
