import type { Claim, LockProvider } from './contract.ts';
import { about, channels } from './diagnostics.ts';
import { isPermanent } from './errors.ts';
import type { Runtime, TimerHandle } from './runtime.ts';

/** What a claim that is given up may still have in the store. */
export interface Abandoned {
  readonly claim: Claim;
  /** An attempt in flight: the release follows it, so that it cannot overtake it. */
  readonly inFlight?: Promise<unknown> | undefined;
  /** An attempt's effect is unknown: a release that answers `false` proves nothing yet. */
  readonly uncertain: boolean;
  /** When the last attempt or renewal was sent, in ms of the clock. */
  readonly lastSend: number;
}

const firstPause = 50;
const longestPause = 1_000;

/**
 * Gives claims up after their caller was answered. Law 2: a release is repeated until it frees something, or until nothing
 * can be left: the last send plus the ttl, or for sessions a conclusive answer.
 */
export class BackgroundReleases {
  readonly #provider: LockProvider;
  readonly #runtime: Runtime;
  readonly #pending = new Set<Promise<unknown>>();
  readonly #pauses = new Map<TimerHandle, () => void>();
  #stopped = false;

  constructor(provider: LockProvider, runtime: Runtime) {
    this.#provider = provider;
    this.#runtime = runtime;
  }

  /** Gives up what `abandoned` has. Never rejects: diagnostics tell. */
  start(abandoned: Abandoned): void {
    void this.track(this.#giveUp(abandoned));
  }

  /** Counts a release that somebody else sends and waits for. It must not reject. */
  track<T>(release: Promise<T>): Promise<T> {
    const pending = release.then((answer) => {
      this.#pending.delete(pending);
      return answer;
    });
    this.#pending.add(pending);
    return pending;
  }

  /** Resolves when nothing is being given up. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** Ends the pauses between repetitions: what is left goes with its ttl. */
  stop(): void {
    this.#stopped = true;
    for (const [timer, resume] of this.#pauses) {
      this.#runtime.clearTimer(timer);
      resume();
    }
    this.#pauses.clear();
  }

  async #giveUp({ claim, inFlight, uncertain, lastSend }: Abandoned): Promise<void> {
    let unsure = uncertain;
    if (inFlight !== undefined) await inFlight.catch((error: unknown) => (unsure ||= !isPermanent(error)));
    const session = this.#provider.traits.expiry === 'session';
    const over = (): boolean => !session && this.#runtime.clock.exact() >= lastSend + claim.ttl;
    for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
      const answer = await releaseOnce(this.#provider, claim);
      if (answer === true) return;
      if (answer === false && (!unsure || session || over())) return;
      if (isPermanent(answer) || over() || this.#stopped) return;
      await this.#pause(pause);
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

/** One release, reported to diagnostics: its answer, or the error it rejected with. */
export async function releaseOnce(provider: LockProvider, claim: Claim): Promise<boolean | Error> {
  try {
    const freed = await provider.release(claim);
    if (channels.release.hasSubscribers) channels.release.publish({ ...about(provider.name, claim), freed });
    return freed;
  } catch (error) {
    if (channels.release.hasSubscribers) {
      channels.release.publish({ ...about(provider.name, claim), freed: false, error });
    }
    return error instanceof Error ? error : new Error(String(error));
  }
}
