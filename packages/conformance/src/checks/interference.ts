import type { Busy, Claim, Grant, LockProvider, Renewal } from '@locks/core';
import { inBackground, now, sleepUntil } from './time.ts';

/** The calls that can be interfered with. */
export type Operation = 'tryAcquire' | 'renew' | 'release';

/** What becomes of one call, on its way to the store and back. Absent: as usual. */
export interface Fate {
  /** The store gets it so many ms later, or never. @default 0 */
  readonly applied?: number | 'never';
  /**
   * What the caller hears once the store has answered, or would have: its answer, an error, or
   * nothing for ever. @default 'answer'
   */
  readonly reply?: 'answer' | 'error' | 'nothing';
  /** So many ms after the call, at least, the caller hears it. @default 0 */
  readonly late?: number;
  /** What the caller hears instead of "busy". */
  readonly busy?: Busy;
}

/** Rejected, and it had no effect. */
export const refused: Fate = { applied: 'never', reply: 'error' };
/** It took effect, and its answer was lost. */
export const replyLost: Fate = { reply: 'error' };
/** Never answered, and it had no effect. */
export const unheard: Fate = { applied: 'never', reply: 'nothing' };
/** Never answered, though it took effect. */
export const unanswered: Fate = { reply: 'nothing' };

/** One call that core made. */
export interface Call {
  /** Which method of the provider. */
  readonly operation: Operation;
  /** The claim that it was called with. */
  readonly claim: Claim;
  /** Which call of this operation it is, counted from 0 since the rule was set. */
  readonly index: number;
  /** When core made it, in monotonic ms. */
  readonly sentAt: number;
  /**
   * When the store had answered, heard or not; `undefined`: it did not get the call, or not yet.
   */
  appliedAt: number | undefined;
  /** When its caller heard anything: the answer, or an error. */
  settledAt: number | undefined;
  /** When its caller got the answer; `undefined`: it did not, or got an error. */
  answeredAt: number | undefined;
  /** What its caller got; `undefined`: nothing yet, or an error. */
  answer: Grant | Busy | Renewal | boolean | undefined;
}

/**
 * How wakes come through: as many times as it says, each after so many ms. @default once, at once
 */
export type WakeRule = readonly number[];

/** A provider between core and the store, whose single calls go wrong as a check wants. */
export interface Interference {
  /** The provider to give to core. */
  readonly provider: LockProvider;
  /** All calls so far, in the order of their sends. */
  readonly calls: readonly Call[];
  /** The calls of one operation, or those of them that one owner made. */
  of(operation: Operation, owner?: string): readonly Call[];
  /** Decides about the calls of `operation` from now on. `undefined` is "as usual". */
  rule(operation: Operation, decide: (call: Call) => Fate | undefined): void;
  /** Everything as usual again, for calls from now on. */
  calm(): void;
  /** How the wakes from now on come through. */
  wakes(rule: WakeRule): void;
  /** Wakes every claim that ever asked for it. */
  wakeAll(): void;
  /** What would never be answered is rejected. */
  end(): Promise<void>;
}

/** What a call without an answer rejects with. */
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
    // An error does not wait for what takes effect later.
    if (reply === 'answer' || applied === 0) await outcome?.catch(() => {});
    if (late > 0) await Promise.race([sleepUntil(call.sentAt + late), ended]);
    if (reply === 'nothing') return await ended;
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
