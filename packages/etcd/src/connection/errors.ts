import { status } from '@grpc/grpc-js';
import type { ServiceError } from '@grpc/grpc-js';
import { LockError, errorText, isLockError, misconfigured } from '@locks/core/adapter';
import { source } from '../options/options.ts';

/** What a failed call means for the next one. */
export type Failure =
  /** The request never left this process. */
  | 'not sent'
  /** The member rejected the token, and so the request. */
  | 'token'
  /** The member has answered. */
  | 'answered'
  /** The connection or the member has failed. */
  | 'broken';

const neverSent = /^(?:No connection established|Name resolution failed|Channel closed before call started)/;
const oldToken = /invalid auth token|revision of auth store is old/;

/** What `error` of a call means. */
export function failureOf(error: unknown): Failure {
  if (!isServiceError(error)) return 'broken';
  const { code, details } = error;
  if (code === status.UNAVAILABLE && neverSent.test(details)) return 'not sent';
  if (code === status.UNAUTHENTICATED || oldToken.test(details)) return 'token';
  return code === status.UNAVAILABLE || code === status.CANCELLED || code === status.INTERNAL ? 'broken' : 'answered';
}

/** Whether the lease of a call is gone: it has expired, or was revoked. */
export function isLeaseGone(error: unknown): boolean {
  return isLockError(error) && isServiceError(error.cause) && error.cause.code === status.NOT_FOUND;
}

/** Whether the store is full: it still reads, deletes and renews, but writes nothing. */
export function isFull(error: unknown): boolean {
  return isLockError(error) && isServiceError(error.cause) && error.cause.code === status.RESOURCE_EXHAUSTED;
}

/** The error to reject with. `what` names the call. */
export function lockErrorOf(error: unknown, what: string, member: string): LockError {
  if (isLockError(error)) return error;
  const details = isServiceError(error) ? error.details : errorText(error);
  const code = isServiceError(error) ? error.code : undefined;
  const refused = refusal(code, details);
  if (refused !== undefined) return misconfigured(source.where, `${refused} (${what}, ${member})`, { cause: error });
  const sent = failureOf(error) === 'not sent' ? ({ sent: false } as const) : {};
  return new LockError('LOCK_UNAVAILABLE', `etcd at ${member} failed at ${what}: ${shortened(details)}.`, {
    cause: error,
    ...sent,
  });
}

function refusal(code: number | undefined, details: string): string | undefined {
  if (/authentication failed/.test(details)) return 'etcd does not accept the user or the password';
  if (/user name is empty/.test(details)) return 'etcd requires a user; set options "username" and "password"';
  if (code === status.PERMISSION_DENIED)
    return 'etcd denies it; grant the user "readwrite" on all keys that start with the prefix and "/"';
  if (code === status.UNAUTHENTICATED) return 'etcd does not accept the token that it issued';
  if (code === status.UNIMPLEMENTED) return 'the server does not know this call; is it etcd, 3.4 or newer?';
  return undefined;
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && typeof (error as Partial<ServiceError>).code === 'number';
}

function shortened(text: string): string {
  const words = text
    .replace(/^etcdserver: /, '')
    // gRPC's words around the reason.
    .replace(/^No connection established\. Last error: (?:Error: )?/, '')
    .replace(/\.? Resolution note: .*$/, '')
    .replace(/\.$/, '');
  return words.length > 160 ? `${words.slice(0, 160)}…` : words;
}
