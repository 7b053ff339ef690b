import type { Claim, LockProvider } from '../../contract.ts';
import { isFinal, isPermanent, leavesNothing } from '../../errors/lock-error.ts';
import { outsideContext } from '../../time/outside-context.ts';
import type { Runtime, TimerHandle } from '../../time/runtime.ts';
import { lastTtl } from './rest.ts';
import { releaseOnce } from './release-once.ts';

/** What an abandoned claim may still have in the store. */
export interface Abandoned {
  /** The claim to release. */
  readonly claim: Claim;
  /** An attempt in progress: the release follows it, so that it cannot overtake it. */
  readonly inFlight?: Promise<unknown> | undefined;
  /**
   * It may have something even if the attempt in progress proves to have left nothing. @default
   * true
   */
  readonly left?: boolean | undefined;
  /**
   * All attempts before that in progress were refused, so it has at most a part of them. One
   * release is enough: while a store refuses everything, retries would pile up. @default false
   */
  readonly onlyRefused?: boolean | undefined;
  /** An attempt's effect is unknown: a release that returns `false` proves nothing yet. */
  readonly uncertain: boolean;
  /**
   * It may have a position in the queue, which lasts as long as its provider lets it. @default
   * false
   */
  readonly inQueue?: boolean | undefined;
  /** When the last attempt or renewal was sent, in ms of the clock. */
  readonly lastSend: number;
  /** How long it was held, in ms, for diagnostics. Absent: it was no lease. */
  readonly heldFor?: number | undefined;
  /**
   * The end of the key's cooldown, in ms of the clock: set by a last renewal, and the hold ends
   * without a release. Absent: it is released.
   */
  readonly restUntil?: number | undefined;
  /** Called with the answer of the first release, or with its error. */
  readonly answered?: ((answer: boolean | Error) => void) | undefined;
  /** Called with the answer of the last one. */
  readonly ended?: ((answer: boolean | Error) => void) | undefined;
}

const firstPause = 50;
/** The longest pause before a silent backend is asked again, in ms. More keeps keys for longer. */
const longestPause = 1_000;
/**
 * The interval between two of many retries, in ms. With less, a failed backend gets more of them.
 */
const spacing = 20;
/**
 * The longest wait of a retry for its turn, in ms. With more, keys stay locked longer after an
 * outage. With less, a failed backend gets more requests for many claims.
 */
const longestSpaced = 15_000;
/**
 * How long a release of a position in the queue is retried at least, in ms. By then the store has
 * dropped the position. With more, the claims of an outage would pile up here.
 */
const longestPlace = 60_000;
/**
 * After this time from its send, in ms, a close takes an attempt without effect for lost. With
 * more, a close takes longer. With less, an attempt that arrives later keeps its key for a ttl.
 */
const longestDelay = 5_000;

/**
 * Releases claims after their caller was answered. A release is retried until it frees something,
 * or until nothing of the claim can be left (law 2): a ttl after the last send, and at least a
 * minute for a position in the queue. With sessions it is the first answer. Where a release frees
 * nothing, the next pause is twice as long. So what takes effect late is freed within twice its
 * delay.
 */
export class BackgroundReleases {
  readonly #provider: LockProvider;
  readonly #runtime: Runtime;
  readonly #report: boolean;
  #pending = 0;
  readonly #settled: (() => void)[] = [];
  readonly #pauses = new Map<TimerHandle, () => void>();
  /** Sends what waits for an attempt in progress. */
  readonly #behind = new Set<() => void>();
  #stopped = false;
  #finishing = false;

  /** `report`: whether each release is reported to diagnostics. */
  constructor(provider: LockProvider, runtime: Runtime, report = true) {
    this.#provider = provider;
    this.#runtime = runtime;
    this.#report = report;
  }

  /** Releases what `abandoned` has, outside of the caller's asynchronous context. Never rejects. */
  start(abandoned: Abandoned): void {
    this.begin();
    const { inFlight } = abandoned;
    outsideContext(() => {
      if (inFlight === undefined) this.#release(abandoned, abandoned.uncertain);
      else this.#follow(abandoned, inFlight);
    });
  }

  /** Counts a release that another caller sends and awaits, until `end`. */
  begin(): void {
    this.#pending += 1;
  }

  /** How many claims are being released. */
  get pending(): number {
    return this.#pending;
  }

  /** Counts one release less. The last one resolves `finished`. */
  end(): void {
    this.#pending -= 1;
    if (this.#pending > 0 || this.#settled.length === 0) return;
    for (const resolve of this.#settled.splice(0)) resolve();
  }

  /**
   * Retries each paused release immediately. Resolves when no claim is being released. A claim with
   * old enough attempts counts as free when a release frees nothing of it.
   */
  finished(): Promise<void> {
    this.#finishing = true;
    this.#endPauses();
    return new Promise((resolve) => {
      if (this.#pending === 0) resolve();
      else this.#settled.push(resolve);
    });
  }

  /**
   * Sends each release that waits for an attempt in progress. A client that keeps the order sends
   * it after that.
   */
  sendNow(): void {
    for (const atOnce of this.#behind) atOnce();
  }

  /** Ends the retries. A claim left in the store ends with its ttl, or its session. */
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

  #follow(abandoned: Abandoned, inFlight: Promise<unknown>): void {
    const { left = true, uncertain } = abandoned;
    let open = true;
    const go = (failure?: { readonly error: unknown }): void => {
      if (!open) return;
      open = false;
      this.#behind.delete(atOnce);
      const nothing = failure !== undefined && leavesNothing(failure.error);
      const refused = failure !== undefined && isPermanent(failure.error);
      if (nothing && !left) this.end();
      else
        this.#release(
          { ...abandoned, onlyRefused: abandoned.onlyRefused === true && (nothing || refused) },
          uncertain || (failure !== undefined && !nothing && !refused),
        );
    };
    const atOnce = (): void => go();
    this.#behind.add(atOnce);
    inFlight.then(atOnce, (error: unknown) => go({ error }));
  }

  /**
   * The first release is sent immediately: it ends the registration of `wake`. A client that sends
   * late sends it after the attempt.
   */
  #release(abandoned: Abandoned, unsure: boolean): void {
    const settle = (answer: boolean | Error): void => {
      abandoned.answered?.(answer);
      if (this.#isOver(abandoned, unsure, answer)) this.#end(abandoned, answer);
      else void this.#repeat(abandoned, unsure, answer);
    };
    void this.#send(abandoned, settle);
  }

  async #repeat(abandoned: Abandoned, unsure: boolean, first: boolean | Error): Promise<void> {
    let answer = first;
    for (let pause = firstPause; ; pause *= 2) {
      if (answer !== false) pause = Math.min(pause, longestPause);
      await this.#pause(this.#untilNext(abandoned, answer, pause));
      if (this.#stopped) break;
      answer = await this.#send(abandoned, itself);
      if (this.#isOver(abandoned, unsure, answer)) break;
    }
    this.#end(abandoned, answer);
  }

  #end({ ended }: Abandoned, answer: boolean | Error): void {
    this.end();
    ended?.(answer);
  }

  /** In ms. After `false` the last retry is sent at the end. */
  #untilNext(abandoned: Abandoned, answer: boolean | Error, pause: number): number {
    const { clock } = this.#runtime;
    const spaced = Math.max(pause, Math.min(this.#pauses.size * spacing, longestSpaced));
    const delay = spaced * (0.5 + this.#runtime.random() / 2);
    return answer === false ? Math.min(delay, Math.max(0, this.#endOf(abandoned, answer) - clock.now())) : delay;
  }

  #send<T>({ claim, heldFor, restUntil }: Abandoned, settle: (answer: boolean | Error) => T): Promise<T> {
    const rest = restUntil === undefined ? 0 : lastTtl(restUntil, this.#runtime.clock.now());
    return releaseOnce(this.#provider, claim, settle, heldFor ?? 'given up', this.#report, rest);
  }

  /** Whether nothing of the claim can be left, or no retry would help. */
  #isOver(abandoned: Abandoned, unsure: boolean, answer: boolean | Error): boolean {
    if (answer === true || isFinal(answer) || this.#stopped) return true;
    if (abandoned.onlyRefused === true && isPermanent(answer)) return true;
    if (answer === false && !unsure) return true;
    const session = this.#provider.traits.expiry === 'session';
    if (session) return answer === false;
    return this.#runtime.clock.exact() >= this.#endOf(abandoned, answer);
  }

  /** When retries end after this answer, in ms of the clock. */
  #endOf({ claim: { ttl }, lastSend, inQueue }: Abandoned, answer: boolean | Error): number {
    if (answer === false) return lastSend + (this.#finishing ? Math.min(ttl, longestDelay) : ttl);
    return lastSend + (inQueue === true ? Math.max(ttl, longestPlace) : ttl);
  }

  #pause(delay: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#runtime.setTimer(
        () => {
          this.#pauses.delete(timer);
          resolve();
        },
        delay,
        false,
      );
      this.#pauses.set(timer, resolve);
    });
  }
}

function itself(answer: boolean | Error): boolean | Error {
  return answer;
}
