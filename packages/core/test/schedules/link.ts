import type { Busy, Claim, Grant, KeyState, LockProvider, Renewal, Traits } from '../../src/contract.ts';
import { LockError } from '../../src/errors/lock-error.ts';
import type { VirtualRuntime } from '../../src/testing/virtual-runtime.ts';

/** How bad a network is: probabilities, and ms. */
export interface Weather {
  readonly latency: number;
  readonly slow: number;
  readonly slowest: number;
  readonly loseRequest: number;
  readonly loseReply: number;
  readonly loseWake: number;
  readonly duplicate: number;
}

export const calm: Weather = {
  latency: 8,
  slow: 0,
  slowest: 0,
  loseRequest: 0,
  loseReply: 0,
  loseWake: 0,
  duplicate: 0,
};
export const slow: Weather = { ...calm, slow: 0.3, slowest: 80 };
export const stormy: Weather = {
  latency: 15,
  slow: 0.15,
  slowest: 200,
  loseRequest: 0.12,
  loseReply: 0.12,
  loseWake: 0.3,
  duplicate: 0.1,
};

/** The adapter gives a call up after this many ms, unless it is told otherwise. */
export const callTimeout = 120;

/**
 * One process's way to the store: an adapter whose network may delay, lose, duplicate and reorder
 * what it carries.
 */
export class Link implements LockProvider {
  readonly name = 'linked';
  readonly traits: Traits;
  weather: Weather;
  /** Nothing gets through before this time. */
  cutUntil = -Infinity;
  readonly #server: LockProvider;
  readonly #store: VirtualRuntime;
  readonly #process: VirtualRuntime;
  readonly #random: () => number;
  readonly #timeout: number;

  constructor(
    server: LockProvider,
    weather: Weather,
    store: VirtualRuntime,
    process: VirtualRuntime,
    random: () => number,
    timeout: number = callTimeout,
  ) {
    this.#server = server;
    this.traits = { ...server.traits, scope: 'network' };
    this.weather = weather;
    this.#store = store;
    this.#process = process;
    this.#random = random;
    this.#timeout = timeout;
  }

  tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    const told = wake === undefined ? undefined : () => this.#tell(wake);
    return this.#call(claim, () => this.#server.tryAcquire(claim, told));
  }

  renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    return this.#call(claim, () => this.#server.renew(claim, token));
  }

  release(claim: Claim): Promise<boolean> {
    return this.#call(claim, () => this.#server.release(claim));
  }

  inspect(key: string): Promise<KeyState> {
    return this.#server.inspect(key);
  }

  time(): Promise<number> {
    return this.#call({ key: 'time', ttl: Infinity }, async () => (await this.#server.time?.()) ?? Number.NaN);
  }

  async close(): Promise<void> {}

  #call<T>(claim: Pick<Claim, 'key' | 'ttl'>, perform: () => Promise<T>): Promise<T> {
    const { weather } = this;
    return new Promise<T>((resolve, reject) => {
      const timer = this.#process.setTimer(
        () => reject(new LockError('LOCK_UNAVAILABLE', 'the network gave no answer')),
        this.#timeout,
        false,
      );
      const answered = (settle: () => void): void => {
        if (this.#lost(weather.loseReply)) return;
        this.#process.setTimer(
          () => {
            this.#process.clearTimer(timer);
            settle();
          },
          this.#delay(),
          false,
        );
      };
      const carry = (): void => {
        if (this.#lost(weather.loseRequest)) return;
        const delay = this.#delay();
        // Law 1: what was given up takes effect within the ttl, or never.
        if (delay > this.#timeout && delay >= claim.ttl * 0.9) return;
        const arrive = (): void => {
          void perform().then(
            (answer) => answered(() => resolve(answer)),
            (error: unknown) => answered(() => reject(error)),
          );
        };
        this.#store.setTimer(arrive, delay, false);
      };
      carry();
      if (this.#random() < weather.duplicate) carry();
    });
  }

  #tell(wake: () => void): void {
    const { weather } = this;
    if (!this.#lost(weather.loseWake)) this.#process.setTimer(wake, this.#delay(), false);
    if (this.#random() < weather.duplicate) this.#process.setTimer(wake, this.#delay(), false);
  }

  #lost(probability: number): boolean {
    return this.#store.time < this.cutUntil || this.#random() < probability;
  }

  #delay(): number {
    const { latency, slow: often, slowest } = this.weather;
    return 1 + Math.floor(this.#random() * (this.#random() < often ? slowest : latency));
  }
}
