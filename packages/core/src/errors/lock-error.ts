/** What went wrong. Compare `code`, not the class: several copies of this package may be loaded. */
export type LockErrorCode =
  /** The lock was not free within `wait`; the backend answered. */
  | 'LOCK_TIMEOUT'
  /** The lease ended against its holder's will. */
  | 'LOCK_LOST'
  /**
   * The backend did not answer, or answered with an error; whether the call took effect is unknown.
   */
  | 'LOCK_UNAVAILABLE'
  /** `close()` was called. */
  | 'LOCK_CLOSED'
  /** An argument, an option of a call, or the use of a lease is wrong. */
  | 'LOCK_INVALID'
  /**
   * The configuration is wrong, or the backend refuses it: permissions, version, missing adapter,
   * unmet `requires`.
   */
  | 'LOCK_MISCONFIGURED'
  /** `maxWaiters` claims are waiting already. */
  | 'LOCK_OVERLOADED'
  /** The call would wait forever for what its own asynchronous context holds. */
  | 'LOCK_DEADLOCK'
  /** A guard rejected a fencing token: a later holder has used the resource. */
  | 'LOCK_STALE';

/** Options of a `LockError`. */
export interface LockErrorOptions {
  /** The underlying error. @default none */
  readonly cause?: unknown;
  /** The key it is about. @default none */
  readonly key?: string | undefined;
  /**
   * `LOCK_LOST` from `withLock`: what `work` resolved to. `LOCK_TIMEOUT` from `waitForPhase`: the
   * last status.
   * @default none
   */
  readonly result?: unknown;
  /**
   * From a provider: the call certainly left nothing at the backend, as it was never sent, or was
   * refused before any effect. Law 1 of the contract says what follows.
   * @default none: it may have been sent
   */
  readonly sent?: false | undefined;
  /**
   * From a provider: it refuses for this time, in ms. `acquire` waits for that within its `wait`.
   * @default none
   */
  readonly retryAfter?: number | undefined;
  /** `LOCK_TIMEOUT`: how long the call waited, in ms. @default none */
  readonly wait?: number | undefined;
  /** `LOCK_TIMEOUT`: the labels of the holders at the end. @default none */
  readonly holders?: readonly string[] | undefined;
}

/** A `LockError` as data, as `JSON.stringify` shows it. */
export interface LockErrorRecord extends Omit<LockErrorOptions, 'cause' | 'result'> {
  /** Always `LockError`. */
  readonly name: string;
  /** What went wrong, for programs. */
  readonly code: LockErrorCode;
  /** What went wrong, for people. */
  readonly message: string;
  /** The text of the underlying error. */
  readonly cause?: string;
}

/** The only error class of this library. */
export class LockError extends Error {
  override readonly name = 'LockError';
  /** What went wrong. Compare this, and not the class. */
  readonly code: LockErrorCode;
  /** The key; `undefined`: no single one. */
  declare readonly key: string | undefined;
  /**
   * `LOCK_LOST` from `withLock`: what `work` resolved to, when it did. When it threw, its error is
   * `cause`. `LOCK_TIMEOUT` from `waitForPhase`: the last status.
   */
  declare readonly result: unknown;
  /**
   * `false`: the call certainly left nothing at the backend. `undefined`: it did, or that is
   * unknown.
   */
  declare readonly sent: false | undefined;
  /** In ms: for how long the backend refuses. `undefined`: unknown. */
  declare readonly retryAfter: number | undefined;
  /** `LOCK_TIMEOUT`: how long the call waited, in ms. 0: it made one attempt. */
  declare readonly wait: number | undefined;
  /**
   * `LOCK_TIMEOUT`: the labels of the holders when the wait ended, each once. Empty: unknown.
   * `undefined`: the holder is the caller's own asynchronous context.
   */
  declare readonly holders: readonly string[] | undefined;

  constructor(code: LockErrorCode, message: string, options: LockErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    // Missing fields are not printed as `undefined`.
    const { key, result, sent, retryAfter, wait, holders } = options;
    Object.assign(this, defined({ key, result, sent, retryAfter, wait, holders }));
  }

  /**
   * The error as data, for logs and other threads: `structuredClone` and `postMessage` lose the
   * code of an error. Without `result`, which may be anything; `cause` as text.
   */
  toJSON(): LockErrorRecord {
    const { name, code, message, key, sent, retryAfter, wait, holders, cause } = this;
    const text = cause === undefined ? undefined : textOf(cause);
    return { name, code, message, ...defined({ key, sent, retryAfter, wait, holders, cause: text }) };
  }
}

function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** A cause may be any value, also one without a text. */
function textOf(cause: unknown): string {
  try {
    return String(cause);
  } catch {
    return typeof cause;
  }
}

const codes: ReadonlySet<string> = new Set<LockErrorCode>([
  'LOCK_TIMEOUT',
  'LOCK_LOST',
  'LOCK_UNAVAILABLE',
  'LOCK_CLOSED',
  'LOCK_INVALID',
  'LOCK_MISCONFIGURED',
  'LOCK_OVERLOADED',
  'LOCK_DEADLOCK',
  'LOCK_STALE',
]);

/** Whether `error` is a `LockError` of any copy of this package, with `code` if given. */
export function isLockError(error: unknown, code?: LockErrorCode): error is LockError {
  if (!(error instanceof Error)) return false;
  const own = (error as { readonly code?: unknown }).code;
  return typeof own === 'string' && codes.has(own) && (code === undefined || own === code);
}

/** The rejections of a provider that leave nothing unknown (law 1): the call had no effect. */
export function isPermanent(error: unknown): error is LockError {
  return isFinal(error) || isLockError(error, 'LOCK_MISCONFIGURED');
}

/**
 * The rejections of a provider after which no repeat can succeed. `LOCK_MISCONFIGURED` is none of
 * them: an expired certificate is renewed, and lost rights are granted again.
 */
export function isFinal(error: unknown): error is LockError {
  return isLockError(error, 'LOCK_INVALID') || isLockError(error, 'LOCK_CLOSED');
}

/** Whether an attempt rejected with `error` certainly left nothing behind (law 1). */
export function leavesNothing(error: unknown): boolean {
  return isFinal(error) || (isLockError(error) && error.sent === false);
}

/**
 * `LOCK_MISCONFIGURED`. `where` names the package or call; `why` has no full stop:
 * `@locks/redis: why.`
 */
export function misconfigured(where: string, why: string, options?: LockErrorOptions): LockError {
  return new LockError('LOCK_MISCONFIGURED', `${where}: ${why}.`, options);
}
