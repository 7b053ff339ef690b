import { LockError } from '../../errors/lock-error.ts';
import type { VirtualRuntime } from '../virtual-runtime.ts';

/** The quality of a network: probabilities, and ms. */
export interface Conditions {
  /** The usual delay of a message is up to this, in ms. */
  readonly latency: number;
  /** The probability of a slow message. */
  readonly slow: number;
  /** The delay of a slow message is up to this, in ms. */
  readonly slowest: number;
  /** The probability that a request is lost. */
  readonly loseRequest: number;
  /** The probability that a reply is lost. */
  readonly loseReply: number;
  /** The probability that a notification is lost. */
  readonly loseWake: number;
  /** The probability that a message arrives twice. */
  readonly duplicate: number;
}

const none = { slow: 0, slowest: 0, loseRequest: 0, loseReply: 0, loseWake: 0, duplicate: 0 };
export const calm: Conditions = { ...none, latency: 8 };
const slow: Conditions = { ...calm, slow: 0.3, slowest: 80 };
const stormy: Conditions = {
  latency: 15,
  slow: 0.15,
  slowest: 200,
  loseRequest: 0.12,
  loseReply: 0.12,
  loseWake: 0.3,
  duplicate: 0.1,
};

export const faultless: readonly Conditions[] = [calm, slow];
export const allConditions: readonly Conditions[] = [calm, ...faultless, stormy, stormy];

/** When a client abandons a call, in ms, by default. */
export const callTimeout = 120;

/** Carries requests and replies between one process and all stores. */
export class Network {
  /** How bad it is at present. */
  conditions: Conditions;
  /** Nothing gets through before this time. */
  cutUntil: number = -Infinity;
  readonly #store: VirtualRuntime;
  readonly #process: VirtualRuntime;
  readonly #random: () => number;

  constructor(conditions: Conditions, store: VirtualRuntime, process: VirtualRuntime, random: () => number) {
    this.conditions = conditions;
    this.#store = store;
    this.#process = process;
    this.#random = random;
  }

  /**
   * Runs `perform` at the store, and returns its answer. Either may be late, or lost; `perform` may
   * run twice. Rejects with `LOCK_UNAVAILABLE` after `timeout` ms. An abandoned request arrives
   * within `effect` ms from the call, or never.
   */
  request<T>(perform: () => T | Promise<T>, timeout: number, effect: number): Promise<T> {
    const { loseReply, loseRequest, duplicate } = this.conditions;
    return new Promise<T>((resolve, reject) => {
      const timer = this.#process.setTimer(
        () => reject(new LockError('LOCK_UNAVAILABLE', 'the network gave no answer')),
        timeout,
        false,
      );
      const reply = (settle: () => void): void => {
        if (this.#isLost(loseReply)) return;
        const arrive = (): void => {
          this.#process.clearTimer(timer);
          settle();
        };
        this.#process.setTimer(arrive, this.#delay(), false);
      };
      const send = (): void => {
        if (this.#isLost(loseRequest)) return;
        const delay = this.#delay();
        if (delay > timeout && delay >= effect) return;
        const arrive = (): void => {
          void (async () => await perform())().then(
            (answer) => reply(() => resolve(answer)),
            (error: unknown) => reply(() => reject(error)),
          );
        };
        this.#store.setTimer(arrive, delay, false);
      };
      send();
      if (this.#random() < duplicate) send();
    });
  }

  /** Calls `wake` in the process: later, twice, or never. */
  notify(wake: () => void): void {
    const { loseWake, duplicate } = this.conditions;
    if (!this.#isLost(loseWake)) this.#process.setTimer(wake, this.#delay(), false);
    if (this.#random() < duplicate) this.#process.setTimer(wake, this.#delay(), false);
  }

  #isLost(probability: number): boolean {
    return this.#store.time < this.cutUntil || this.#random() < probability;
  }

  #delay(): number {
    const { latency, slow: often, slowest } = this.conditions;
    return 1 + Math.floor(this.#random() * (this.#random() < often ? slowest : latency));
  }
}
