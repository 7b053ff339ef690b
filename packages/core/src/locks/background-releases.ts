import type { Claim, LockProvider } from '../contract.ts';
import { about, channels } from './diagnostics.ts';
import type { ReleaseMessage } from './diagnostics.ts';
import { isPermanent, leavesNothing } from '../errors/lock-error.ts';
import { outsideContext } from '../time/outside-context.ts';
import type { Runtime, TimerHandle } from '../time/runtime.ts';

/** What a claim that is given up may still have in the store. */
export interface Abandoned {
  readonly claim: Claim;
  /** An attempt in flight: the release follows it, so that it cannot overtake it. */
  readonly inFlight?: Promise<unknown> | undefined;
  /** It may have something even if the attempt in flight proves to have left nothing. @default true */
  readonly left?: boolean | undefined;
  /** An attempt's effect is unknown: a release that answers `false` proves nothing yet. */
  readonly uncertain: boolean;
  /** It may have a place in line, which lasts as long as its provider lets it. @default false */
  readonly inLine?: boolean | undefined;
  /** When the last attempt or renewal was sent, in ms of the clock. */
  readonly lastSend: number;
  /** How long it was held, in ms, for diagnostics. Absent: it was no lease, or no listener wants it. */
  readonly heldFor?: number | undefined;
}

const firstPause = 50;
const longestPause = 1_000;
/** One repetition of many goes out in so many ms. With less, a backend that is down hears more of them. */
const spacing = 20;
/** A repetition waits no longer, however many there are. With more, keys stay locked longer after an outage. */
const longestSpaced = 5_000;
/** By then a place in line has lapsed by itself; without a bound, an outage would pile up what it left behind. */
const longestPlace = 60_000;

/**
 * Gives claims up after their caller was answered. Law 2: a release is repeated until it frees something, or until nothing
 * can be left: the last send plus the ttl (a minute at least, for a place in line), or for sessions a conclusive answer.
 */
export class BackgroundReleases {
  readonly #provider: LockProvider;
  readonly #runtime: Runtime;
  #pending = 0;
  readonly #settled: (() => void)[] = [];
  readonly #pauses = new Map<TimerHandle, () => void>();
  #stopped = false;

  constructor(provider: LockProvider, runtime: Runtime) {
    this.#provider = provider;
    this.#runtime = runtime;
  }

  /** Gives up what `abandoned` has, outside of the caller's asynchronous context. Never rejects: diagnostics tell. */
  start(abandoned: Abandoned): void {
    this.begin();
    void outsideContext(() => this.#giveUp(abandoned)).finally(() => this.end());
  }

  /** Counts a release that somebody else sends and waits for, until `end`. */
  begin(): void {
    this.#pending += 1;
  }

  end(): void {
    this.#pending -= 1;
    if (this.#pending > 0 || this.#settled.length === 0) return;
    for (const resolve of this.#settled.splice(0)) resolve();
  }

  /** Repeats at once what pauses, and resolves when nothing is being given up. */
  finished(): Promise<void> {
    this.#endPauses();
    return new Promise((resolve) => {
      if (this.#pending === 0) resolve();
      else this.#settled.push(resolve);
    });
  }

  /** Ends the pauses between repetitions: what is left goes with its ttl. */
  stop(): void {
    this.#stopped = true;
    this.#endPauses();
  }

  #endPauses(): void {
    for (const [timer, resume] of this.#pauses) {
      this.#runtime.clearTimer(timer);
      resume();
    }
    this.#pauses.clear();
  }

  async #giveUp({
    claim,
    inFlight,
    left = true,
    uncertain,
    inLine = false,
    lastSend,
    heldFor,
  }: Abandoned): Promise<void> {
    let unsure = uncertain;
    if (inFlight !== undefined) {
      const failure = await inFlight.then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      const nothing = failure !== undefined && leavesNothing(failure.error);
      if (nothing && !left) return;
      unsure ||= failure !== undefined && !nothing && !isPermanent(failure.error);
    }
    const session = this.#provider.traits.expiry === 'session';
    const past = (span: number): boolean => !session && this.#runtime.clock.exact() >= lastSend + span;
    const patience = inLine ? Math.max(claim.ttl, longestPlace) : claim.ttl;
    // The first one at once: it ends the registration of `wake`, and a client that sends late sends it behind the attempt.
    for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
      const answer = await releaseOnce(this.#provider, claim, itself, heldFor);
      if (answer === true) return;
      if (answer === false && (!unsure || session || past(claim.ttl))) return;
      if (isPermanent(answer) || past(patience) || this.#stopped) return;
      await this.#pause(Math.max(pause, Math.min(this.#pauses.size * spacing, longestSpaced)));
      if (this.#stopped) return;
    }
  }

  #pause(delay: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#runtime.setTimer(
        () => {
          this.#pauses.delete(timer);
          resolve();
        },
        delay * (0.5 + this.#runtime.random() / 2),
        false,
      );
      this.#pauses.set(timer, resolve);
    });
  }
}

/**
 * One release, reported to diagnostics. Resolves to what `settle` makes of its answer, or of the error it
 * rejected with. `heldFor`: how long the claim was held, in ms.
 */
export function releaseOnce<T>(
  provider: LockProvider,
  claim: Claim,
  settle: (answer: boolean | Error) => T,
  heldFor?: number,
): Promise<T> {
  const answered = (freed: boolean): T => {
    if (channels.release.hasSubscribers) tell(provider, claim, heldFor, { freed });
    return settle(freed);
  };
  const failed = (error: unknown): T => {
    if (channels.release.hasSubscribers) tell(provider, claim, heldFor, { freed: false, error });
    return settle(error instanceof Error ? error : new Error(String(error)));
  };
  let sent: Promise<boolean>;
  try {
    sent = Promise.resolve(provider.release(claim));
  } catch (error) {
    sent = Promise.reject(error);
  }
  return sent.then(answered, failed);
}

function tell(
  provider: LockProvider,
  claim: Claim,
  heldFor: number | undefined,
  outcome: Pick<ReleaseMessage, 'freed' | 'error'>,
): void {
  const held = heldFor === undefined ? {} : { heldFor };
  channels.release.publish({ ...about(provider.name, claim), ...held, ...outcome });
}

function itself(answer: boolean | Error): boolean | Error {
  return answer;
}
