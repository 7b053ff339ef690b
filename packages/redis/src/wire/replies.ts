import {
  LockError,
  errorText,
  isLockError,
  isTlsRefusal,
  tlsReason,
  tokensEnded,
  upgradeRefused,
} from '@locks/core/adapter';
import type { Claim, Grant, Holder, KeyState, Waiter } from '@locks/core';
import { NoConnection, connectionError, lastLoss } from './client.ts';
import type { ScriptClient } from './client.ts';
import { findDenial } from './denial.ts';
import { restarted } from './restart-guard.ts';

/** A failed call, for messages. */
export interface FailedCall {
  readonly what: string;
  readonly claim?: Claim | undefined;
  /** The script that was called. */
  readonly lua?: string | undefined;
  /** The command was never sent. */
  readonly unsent?: boolean | undefined;
}

/**
 * The contract's error for a client's error. After an error reply or a broken connection it is
 * unknown what was done. Only what a retry cannot fix is permanent.
 */
export function toLockError(error: unknown, { what, claim, lua, unsent = false }: FailedCall): LockError {
  if (isLockError(error)) return error;
  const text = errorText(error);
  const own = /\bLOCKS_(\w+)(?: (\S+))?(?: (\d+))?/.exec(text);
  if (own !== null && claim !== undefined) return refusal(own, claim);
  const options = { ...(claim === undefined ? {} : { key: claim.key }), cause: withoutCommand(error) };
  const failed = (): LockError =>
    new LockError('LOCK_UNAVAILABLE', `Redis failed at ${what}: ${text}`, {
      ...options,
      sent: unsent ? false : undefined,
    });
  if (error instanceof NoConnection && isLockError(error.reason)) {
    const { code, message, cause = options.cause } = error.reason;
    const sent = unsent ? false : undefined;
    return new LockError(code, `Redis failed at ${what}: ${message}`, { ...options, cause, sent });
  }
  const credentials = /\b(?:NOAUTH|WRONGPASS)\b/.test(text);
  if (error instanceof NoConnection && error.told && !credentials && !isTlsRefusal(error)) return failed();
  const misconfigured = (message: string): LockError =>
    new LockError('LOCK_MISCONFIGURED', message, { ...options, sent: unsent ? false : undefined });
  if (credentials) {
    return misconfigured(`Redis refuses ${what}: ${text} Check the user name and the password.`);
  }
  if (isTlsRefusal(error)) {
    return misconfigured(
      `TLS with Redis fails at ${what}: ${tlsReason(error)}. Check option "tls", and the scheme: rediss: is TLS.`,
    );
  }
  const denial = findDenial(text, lua);
  if (denial !== undefined) {
    const { right = 'what it lacks' } = denial;
    return misconfigured(
      `Redis refuses ${what}: ${denial.text}. Grant its user ${right}; docs/backends/redis-operate.md lists all it needs.`,
    );
  }
  if (/\bunknown (?:redis )?command\b|\bERR syntax error\b/i.test(text)) {
    return misconfigured(
      `Redis does not know a command of ${what}: ${text} It must be version 6.2 or newer, with no command disabled.`,
    );
  }
  const mode = modeOf(text);
  if (mode !== undefined) {
    return misconfigured(
      `The client is in ${mode} mode at ${what}: ${text} Pass a separate client, such as client.duplicate().`,
    );
  }
  if (error instanceof TypeError) return misconfigured(`The client failed at ${what}: ${text}. ${realClient}`);
  if (/^(?:MOVED|CROSSSLOT)\b/.test(text)) {
    return misconfigured(`Redis failed at ${what}: ${text} It is a node of a Cluster: pass a Cluster client.`);
  }
  return failed();
}

/** The mode of a connection that takes no commands, by its error. */
function modeOf(text: string): 'subscriber' | 'monitor' | undefined {
  if (/\bsubscriber mode\b|\bSUBSCRIBE \/ .* allowed in this context/.test(text)) return 'subscriber';
  return /\bmonitoring mode\b|\bcan't interact with the keyspace\b/.test(text) ? 'monitor' : undefined;
}

const realClient = 'Pass a client of ioredis, iovalkey or node-redis, which gives replies as Redis sends them.';

/** Redis never answers this: the client changes replies, or is not one of Redis. */
function strangeReply(what: string, needed: string): LockError {
  return new LockError(
    'LOCK_MISCONFIGURED',
    `The client answered ${what} with something that is not ${needed}. ${realClient}`,
  );
}

/** Why `client` has no connection, for unanswered calls. */
function connectionTrouble(client: ScriptClient): LockError | undefined {
  const error = connectionError(client);
  return error === undefined ? undefined : toLockError(error, { what: 'the connection' });
}

/** The same for a call without an answer. Some clients report only their status. */
export function noAnswerReason(client: ScriptClient): LockError | undefined {
  const { status } = client;
  const says = `The client is not ready to send: its status is "${status}".`;
  return connectionTrouble(client) ?? (status === 'ready' ? undefined : new LockError('LOCK_UNAVAILABLE', says));
}

/** What `client` reported of its missing or last connection. */
export function outageOf(client: ScriptClient): LockError | undefined {
  const loss = lastLoss(client);
  return connectionTrouble(client) ?? (loss && toLockError(loss, { what: 'the connection' }));
}

/** Tokens begin at the server's clock, in µs since 1970: lower ones are mismatched replies. */
const lowestToken = 10n ** 12n;

/**
 * The answer to an attempt. A script returns a token, as text near 2^53, or minus the ms until the
 * next attempt.
 */
export function toAnswer(reply: unknown): Grant | { readonly granted: false; readonly retryAfter: number } {
  const exact = typeof reply === 'string' && /^\d+$/.test(reply);
  const number = exact ? BigInt(reply) : BigInt(toInteger(reply, 'an attempt'));
  if (number <= 0n) return { granted: false, retryAfter: -Number(number) };
  if (number < lowestToken) {
    const why = 'the reply belongs to another command, and the result of the attempt is unknown';
    throw new LockError('LOCK_UNAVAILABLE', `Redis answered an attempt with ${number}, which is no token: ${why}.`);
  }
  return { granted: true, token: number };
}

/** The integer that a script returned, in whatever type the client uses. */
export function toInteger(reply: unknown, what: string): number {
  const number = typeof reply === 'string' && /^-?\d+$/.test(reply) ? Number(reply) : reply;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  if (reply === 'QUEUED') {
    const why = 'the client is in a transaction (MULTI), and EXEC may still execute it. Pass a separate client.';
    throw new LockError('LOCK_UNAVAILABLE', `Redis queued ${what}: ${why}`);
  }
  throw strangeReply(what, 'an integer');
}

/** The list that a script or a command returned. */
export function toList(reply: unknown, what: string): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  throw strangeReply(what, 'a list');
}

/** The state of `key`, as returned by `lua/inspect.lua`. */
export function toKeyState(key: string, reply: unknown): KeyState {
  const [count, names, ...parts] = toList(reply, 'an inspection');
  const holders: Holder[] = [];
  for (let index = 0; index + 4 < parts.length; index += 5) {
    const [owner, mode, permits, token, left] = parts.slice(index, index + 5);
    const remaining = toInteger(left, 'an inspection');
    holders.push({
      owner: String(owner),
      mode: mode === 'shared' ? 'shared' : 'exclusive',
      ...permitsIn(permits),
      ...(typeof token === 'string' && /^\d+$/.test(token) ? { token: BigInt(token) } : {}),
      ...(remaining >= 0 ? { remaining } : {}),
    });
  }
  const waiters = toInteger(count, 'an inspection');
  const queue = Array.isArray(names) ? names.map((name) => toWaiter(String(name))) : [];
  return { key, holders, waiters, ...(queue.length === 0 ? {} : { queue }) };
}

/** Parses a waiter's name in the queue: see `lua/algorithm.lua`. */
function toWaiter(name: string): Waiter {
  const [kind = '', , ...owner] = name.split(' ');
  const mode = kind.startsWith('s') ? 'shared' : 'exclusive';
  return { owner: owner.join(' '), mode, ...permitsIn(kind.slice(1)) };
}

function permitsIn(text: unknown): Pick<Holder, 'permits'> {
  return typeof text === 'string' && /^\d+$/.test(text) ? { permits: Number(text) } : {};
}

/**
 * The connection was replaced during a release. Either the release freed nothing, or the client
 * sent it twice and has only the second answer.
 */
export function releasedInDoubt({ key }: Claim): LockError {
  const name = JSON.stringify(key);
  return new LockError(
    'LOCK_UNAVAILABLE',
    `The connection to Redis was replaced during a release on ${name}: what it freed is unknown.`,
    { key },
  );
}

/** A server granted the claim, but the current master does not know it. */
export function grantGone({ key }: Claim): LockError {
  const name = JSON.stringify(key);
  return new LockError(
    'LOCK_UNAVAILABLE',
    `The grant on ${name} was gone before replicas had it (option "minReplicas"): try again.`,
    { key },
  );
}

/** The client may still send an attempt that was abandoned at its deadline. */
export function attemptUnderWay({ key }: Claim): LockError {
  const name = JSON.stringify(key);
  return new LockError(
    'LOCK_UNAVAILABLE',
    `An attempt on ${name} is still under way in the Redis client: what a release leaves is unknown.`,
    { key },
  );
}

function refusal([, kind, detail, left]: RegExpExecArray, claim: Claim): LockError {
  if (kind === 'RESTARTED') return restarted(claim, Number(detail), Number(left));
  if (kind === 'SHARED') return upgradeRefused(claim);
  return tokensEnded(claim);
}

/** The client attaches the command to its errors, and AUTH contains the password. */
function withoutCommand(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const bare = new Error(error.message);
  bare.name = error.name;
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? Object.assign(bare, { code }) : bare;
}
