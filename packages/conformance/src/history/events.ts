import type { Mode } from '@locks/core';

/** A call for a lock, as a history notes it. */
export interface HistoryCall {
  /** The key that is locked. */
  readonly key: string;
  /** Whether others may hold the key as well. */
  readonly mode: Mode;
  /** Shared: how many hold the key at most. Absent: any number. */
  readonly permits?: number;
  /** The method that was called. Of a `multiLock` each key is a call of its own. */
  readonly how: 'acquire' | 'tryAcquire' | 'withLock' | 'multiLock' | 'once' | 'elect' | 'resume' | 'downgrade';
  /** Of `once`: its slot. In each of them one call of a key may be granted. */
  readonly slot?: string;
  /**
   * The call whose hold goes on under this one, with its token: after a `handOver` or `downgrade`.
   */
  readonly continues?: string;
  /** In ms; absent: without limit. */
  readonly wait?: number;
  /** In ms: when the signal of the call aborts. Absent: never. */
  readonly abortAfter?: number;
  /** The call was made in a phase without faults, in which locks are held for moments. */
  readonly calm?: boolean;
}

interface Fact<Type extends string> {
  /** When, in ms. */
  readonly at: number;
  /** Which process notes it. */
  readonly process: string;
  /** What happened. */
  readonly type: Type;
}

interface OfCall<Type extends string> extends Fact<Type> {
  /** Names the call, and the lease that came of it. */
  readonly id: string;
}

interface Called extends OfCall<'call'> {
  /** What was called. */
  readonly call: HistoryCall;
}

interface GrantedEvent extends OfCall<'granted'> {
  /** Its fencing token, as text. */
  readonly token: string;
  /** What the lease promised, in ms. */
  readonly remaining: number;
}

/**
 * A look at a lease that is held. `release`: it is called next; of `withLock`, the work is over.
 */
interface Looked extends OfCall<'held' | 'release'> {
  /** What the lease promised, in ms. */
  readonly remaining: number;
}

/** The call rejected. */
interface FailedEvent extends OfCall<'failed'> {
  /** The code of the error. */
  readonly code: string;
  /** Its message. */
  readonly message: string;
}

/** `renew` settled. */
interface Renewed extends OfCall<'renewed'> {
  /** `ok`, or the code of the error. */
  readonly code: string;
}

/** The signal of the lease aborted. */
interface Lost extends OfCall<'lost'> {
  /** The code of the reason. */
  readonly code: string;
  /** What the lease said of itself at that moment. */
  readonly held: boolean;
}

interface Released extends OfCall<'released'> {
  /** What `release` answered, or the code of its error; `over` at the end of `withLock`. */
  readonly answer: boolean | string;
}

/** The guarded resource answered the holder of a token. */
interface Guarded extends OfCall<'read' | 'written' | 'refused'> {
  /** Which resource: that of this key. */
  readonly key: string;
  /** The token of the request, as text. */
  readonly token: string;
  /** The value after it. */
  readonly value: number;
}

/** A fault has ended. */
interface Fault extends Fact<'fault'> {
  /** When it began, in ms. */
  readonly from: number;
  /** What it was. */
  readonly kind: string;
  /** The process that it hit. Absent: it hit the store. */
  readonly hit?: string;
}

/** The process ended. */
interface Ended extends Fact<'ended'> {
  /** By its tester, who expects no answers from it. */
  readonly killed: boolean;
}

/**
 * One fact of a history: plain data, which may be written to a file as JSON. `at` is in ms of a
 * monotonic clock that all processes share (`process.hrtime` on one host). It is read before the
 * fact: with `remaining: 200` the lease promised to last until `at + 200`. `busy`: `tryAcquire`
 * answered `null`. `healed`: from then on there are no faults.
 */
export type HistoryEvent =
  | Called
  | GrantedEvent
  | OfCall<'busy'>
  | FailedEvent
  | Looked
  | Renewed
  | Lost
  | Released
  | Guarded
  | Fault
  | Ended
  | Fact<'healed'>;

/** A promise of the library that a history breaks. */
export interface Violation {
  /** Which promise. */
  readonly rule: 'exclusion' | 'slots' | 'tokens' | 'writes' | 'answers' | 'liveness' | 'failures';
  /** What happened, in words. */
  readonly message: string;
  /** When, in ms of the history's clock. */
  readonly at: number;
  /** The calls that show it. */
  readonly ids: readonly string[];
}
