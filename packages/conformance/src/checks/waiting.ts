import { isLockError } from '@locks/core';
import type { Busy, Claim, Grant, LockProvider } from '@locks/core';
import { expectAnswer } from './expect.ts';
import type { Random } from './random.ts';
import { inBackground } from './time.ts';

/** A claim that waits for its grant as core would: it retries when woken, or after `retryAfter`. */
export interface Waiting {
  /** The waiting claim. */
  readonly claim: Claim;
  /** The provider of the claim. */
  readonly provider: LockProvider;
  /** Its first attempt was answered: if busy, it has its position in the queue. */
  readonly inQueue: Promise<void>;
  /** Rejects when the provider rejects, when it was abandoned, or when the check has ended. */
  readonly granted: Promise<Grant>;
  /** Whether it has been granted. */
  readonly isGranted: boolean;
  /** Releases the hold. */
  release(): Promise<boolean>;
  /** Pauses its attempts until `goOn`. Resolves when none is in progress. */
  rest(): Promise<void>;
  /** Continues after `rest`. */
  goOn(): void;
  /**
   * Stops retrying and, after the attempt in progress, releases whatever it has. True: it was
   * granted meanwhile.
   */
  abandon(): Promise<boolean>;
}

export interface WaitingOptions {
  /** Ends the waiting together with its check. */
  readonly signal: AbortSignal;
  /** Jitter of the polls. */
  readonly random: Random;
  /**
   * Retries only when woken, so that a poll does not hide a missing wake.
   * @default false
   */
  readonly onlyWhenWoken?: boolean;
  /**
   * Retries when an attempt is rejected as unknown, as it may be in a process that was stopped.
   * @default false
   */
  readonly throughUnknown?: boolean;
}

const firstPoll = 20;
const longestPoll = 500;

/** Starts to wait for `claim`. */
export function startWaiting(provider: LockProvider, claim: Claim, options: WaitingOptions): Waiting {
  const { signal, random, onlyWhenWoken = false, throughUnknown = false } = options;
  let stopped = false;
  let woken = false;
  let isGranted = false;
  let resume = (): void => {};
  let rested = Promise.resolve();
  let goOn = (): void => {};
  let underWay: Promise<unknown> = Promise.resolve();
  let answered = (): void => {};
  const firstAnswer = new Promise<void>((resolve) => (answered = resolve));

  const onWake = (): void => {
    woken = true;
    resume();
  };

  async function attempt(): Promise<Grant | Busy> {
    try {
      return await provider.tryAcquire(claim, onWake);
    } catch (error) {
      if (!throughUnknown || !isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
      return { granted: false };
    }
  }

  async function drive(): Promise<Grant> {
    for (let polls = 0; !stopped && !signal.aborted;) {
      woken = false;
      const trying = attempt();
      underWay = trying;
      const answer = await trying;
      answered();
      expectAnswer(answer, 'for a claim that waits');
      if (answer.granted) {
        isGranted = true;
        return answer;
      }
      const poll = Math.min(firstPoll * 2 ** polls, longestPoll) * (0.5 + random.next() / 2);
      if (answer.retryAfter === undefined) polls = Math.min(polls + 1, 5);
      await pause(onlyWhenWoken ? Infinity : answer.retryAfter === undefined ? poll : answer.retryAfter * 0.9);
      await rested;
    }
    throw new Error(`the claim of ${claim.owner} was abandoned`);
  }

  async function pause(delay: number): Promise<void> {
    // A wake since the send of the attempt counts, even before its busy answer.
    if (woken || stopped || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(1, Math.min(delay, 2 ** 31 - 1)));
      resume = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    resume = () => {};
  }

  const onEnd = (): void => {
    resume();
    goOn();
  };
  signal.addEventListener('abort', onEnd, { once: true });
  const granted = inBackground(drive().finally(() => signal.removeEventListener('abort', onEnd)));

  return {
    claim,
    provider,
    granted,
    inQueue: inBackground(Promise.race([firstAnswer, granted.then(() => {})])),
    get isGranted() {
      return isGranted;
    },
    release: () => provider.release(claim),
    async rest() {
      rested = new Promise((resolve) => (goOn = resolve));
      await underWay.catch(() => {});
    },
    goOn: () => goOn(),
    async abandon() {
      stopped = true;
      onEnd();
      await granted.catch(() => {});
      return await provider.release(claim);
    },
  };
}
