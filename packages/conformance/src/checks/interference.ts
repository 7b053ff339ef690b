import { LockError } from '@locks/core/adapter';
import type { Busy, Claim, Grant, LockProvider, Renewal } from '@locks/core';
import { inBackground, now, sleepUntil } from './time.ts';

/** The calls that can be interfered with. */
export type Operation = 'tryAcquire' | 'renew' | 'release';

/** What happens to one call, on its way to the store and back. Absent: as usual. */
export interface Fate {
  /** The store receives it after this time, in ms, or never. @default 0 */
  readonly applied?: number | 'never';
  /**
   * What the caller receives once the store has answered, or would have: its answer, an error, or
   * nothing. @default 'answer'
   */
  readonly reply?: 'answer' | 'error' | 'misconfigured' | 'nothing';
  /** The least time from the call to its answer, in ms. @default 0 */
  readonly late?: number;
  /** What the caller receives instead of "busy". */
  readonly busy?: Busy;
}

/** Rejected, and it had no effect. */
export const refused: Fate = { applied: 'never', reply: 'error' };
/** Refused with `LOCK_MISCONFIGURED`, as while a certificate is expired or rights are missing. */
export const misconfigured: Fate = { applied: 'never', reply: 'misconfigured' };
/** It took effect, and its answer was lost. */
export const replyLost: Fate = { reply: 'error' };
/** Never answered, and it had no effect. */
export const unheard: Fate = { applied: 'never', reply: 'nothing' };
/** Never answered, though it took effect. */
export const unanswered: Fate = { reply: 'nothing' };

/** One call that core made. */
export interface Call {
  /** The method of the provider. */
  readonly operation: Operation;
  /** The claim of the call. */
  readonly claim: Claim;
  /** Its number among calls of this operation, from 0 since the rule was set. */
  readonly index: number;
  /** When core made it, in monotonic ms. */
  readonly sentAt: number;
  /** When the store answered, received or not; `undefined`: not called, or not yet. */
  appliedAt: number | undefined;
  /** When its caller received an answer or an error. */
  settledAt: number | undefined;
  /** When its caller received the answer; `undefined`: not yet, or an error. */
  answeredAt: number | undefined;
  /** What its caller received; `undefined`: nothing yet, or an error. */
  answer: Grant | Busy | Renewal | boolean | undefined;
}

/**
 * How wakes are delivered: once per element, each after this time in ms. @default once, immediately
 */
export type WakeRule = readonly number[];

/** A provider between core and the store, whose single calls fail as a check wants. */
export interface Interference {
  /** The provider to pass to core. */
  readonly provider: LockProvider;
  /** All calls so far, in the order of their sends. */
  readonly calls: readonly Call[];
  /** The calls of one operation, or those of them by one owner. */
  of(operation: Operation, owner?: string): readonly Call[];
  /** Decides about later calls of `operation`. `undefined`: as usual. */
  rule(operation: Operation, decide: (call: Call) => Fate | undefined): void;
  /** Back to normal, for later calls. */
  calm(): void;
  /** How later wakes are delivered. */
  wakes(rule: WakeRule): void;
  /** Wakes every claim that ever asked for it. */
  wakeAll(): void;
  /** Rejects calls that would never be answered. */
  end(): Promise<void>;
}

class InterferenceError extends Error {
  override readonly name = 'InterferenceError';
}

/** Puts itself between core and `inner`. */
export function interfere(inner: LockProvider): Interference {
  const calls: Call[] = [];
  const rules = new Map<Operation, { decide(call: Call): Fate | undefined; count: number }>();
  const callbacks = new Map<string, () => void>();
  let wakeRule: WakeRule = [0];
  let fail = (_error: Error): void => {};
  // Raced by the calls that get no answer.
  const ended = inBackground(new Promise<never>((_resolve, reject) => (fail = reject)));

  async function carry<Answer extends Grant | Busy | Renewal | boolean>(
    operation: Operation,
    claim: Claim,
    apply: () => Promise<Answer>,
  ): Promise<Answer> {
    const rule = rules.get(operation);
    const index = rule === undefined ? 0 : rule.count++;
    const call: Call = {
      operation,
      claim,
      index,
      sentAt: now(),
      appliedAt: undefined,
      settledAt: undefined,
      answeredAt: undefined,
      answer: undefined,
    };
    calls.push(call);
    try {
      const answer = await meet(call, rule?.decide(call) ?? {}, apply);
      call.answer = answer;
      call.answeredAt = now();
      return answer;
    } finally {
      call.settledAt = now();
    }
  }

  async function meet<Answer extends Grant | Busy | Renewal | boolean>(
    call: Call,
    { applied = 0, reply = 'answer', late = 0, busy }: Fate,
    apply: () => Promise<Answer>,
  ): Promise<Answer> {
    const outcome = applied === 'never' ? undefined : inBackground(applyAt(applied, call, apply));
    // An error does not wait for a later effect.
    if (reply === 'answer' || applied === 0) await outcome?.catch(() => {});
    if (late > 0) await Promise.race([sleepUntil(call.sentAt + late), ended]);
    if (reply === 'nothing') return await ended;
    if (reply === 'misconfigured') throw new LockError('LOCK_MISCONFIGURED', `the ${call.operation} is refused`);
    if (reply === 'error' || outcome === undefined)
      throw new InterferenceError(`the ${call.operation} went wrong on its way`);
    const heard = await outcome;
    return busy !== undefined && isBusy(heard) ? (busy as Answer) : heard;
  }

  function wakeOf(owner: string, wake: () => void): () => void {
    callbacks.set(owner, wake);
    return () => {
      for (const delay of wakeRule) {
        if (delay === 0) callbacks.get(owner)?.();
        else setTimeout(() => callbacks.get(owner)?.(), delay).unref();
      }
    };
  }

  return {
    calls,
    of: (operation, owner) =>
      calls.filter((call) => call.operation === operation && (owner === undefined || call.claim.owner === owner)),
    rule(operation, decide) {
      rules.set(operation, { decide, count: 0 });
    },
    calm: () => rules.clear(),
    wakes(rule) {
      wakeRule = rule;
    },
    wakeAll() {
      for (const wake of callbacks.values()) wake();
    },
    async end() {
      fail(new InterferenceError('the check has ended'));
    },
    provider: {
      name: inner.name,
      traits: inner.traits,
      tryAcquire: (claim, wake) => {
        const passed = wake === undefined ? undefined : wakeOf(claim.owner, wake);
        return carry('tryAcquire', claim, () => inner.tryAcquire(claim, passed));
      },
      renew: (claim, token) => carry('renew', claim, () => inner.renew(claim, token)),
      release: (claim) => carry('release', claim, () => inner.release(claim)),
      inspect: (key) => inner.inspect(key),
      close: () => inner.close(),
    },
  };
}

async function applyAt<Answer>(delay: number, call: Call, apply: () => Promise<Answer>): Promise<Answer> {
  if (delay > 0) await sleepUntil(call.sentAt + delay);
  const answer = await apply();
  call.appliedAt = now();
  return answer;
}

function isBusy(answer: unknown): answer is Busy {
  return typeof answer === 'object' && answer !== null && (answer as Partial<Busy>).granted === false;
}
