import type { Answer } from '../wire/answer.ts';
import type { Request } from '../wire/request.ts';
import type { Address } from './address.ts';
import type { SendOptions } from './connection.ts';
import { ConnectionLostError, RequestUnsentError } from './errors.ts';

/**
 * How many requests are in flight simultaneously. With fewer, a server is not kept busy. With more,
 * a heartbeat waits longer for its answer.
 */
const window = 256;

/** A request that waits to be sent, or for its reply. */
export interface Sending {
  readonly request: Request<unknown>;
  /** Does not keep the process alive. */
  readonly background: boolean;
  readonly resolve: (answer: Answer<unknown>) => void;
  readonly reject: (error: Error) => void;
}

export interface Sent {
  readonly xid: number;
  /** By the runtime's clock, in ms: not after it was written. */
  readonly sentAt: number;
}

/** The connection of the requests. */
export interface RequestQueueParts {
  readonly address: Address;
  /** Throws if the request cannot be written: then it is not sent. */
  transmit(sending: Sending): Sent;
  /** Keeps the process alive, or not. */
  hold(alive: boolean): void;
}

/** The requests of one connection: in flight, and waiting to be sent. */
export class RequestQueue {
  readonly #parts: RequestQueueParts;
  readonly #pending = new Map<Sending, Sent>();
  readonly #backlog: Sending[] = [];
  /** How many of those in flight keep the process alive. */
  #foreground = 0;
  #lost: Error | undefined;

  constructor(parts: RequestQueueParts) {
    this.#parts = parts;
  }

  /** How many are in flight. */
  get size(): number {
    return this.#pending.size;
  }

  /** The one in flight that was sent first. */
  get oldest(): readonly [Sending, Sent] | undefined {
    const [oldest] = this.#pending;
    return oldest;
  }

  /** Why the connection has ended. */
  get lost(): Error | undefined {
    return this.#lost;
  }

  send<T>(request: Request<T>, { background = false }: SendOptions = {}): Promise<Answer<T>> {
    return new Promise((resolve, reject) => {
      if (this.#lost !== undefined) {
        reject(new RequestUnsentError(this.#parts.address, this.#lost));
        return;
      }
      const sending: Sending = { request, background, resolve: resolve as Sending['resolve'], reject };
      // Behind a thousand requests a heartbeat would be late, and the session lost.
      const urgent = background || request.xid !== undefined;
      if (urgent || (this.#backlog.length === 0 && this.#pending.size < window)) this.#dispatch(sending);
      else this.#backlog.push(sending);
    });
  }

  answered(sending: Sending, answer: Answer<unknown>): void {
    if (this.#settled(sending)) sending.resolve(answer);
    this.#dispatchNext();
  }

  failed(sending: Sending, error: Error): void {
    if (this.#settled(sending)) sending.reject(error);
    this.#dispatchNext();
  }

  /** The connection has ended. `isAnswer`: a request that this answers. */
  end(cause: Error, isAnswer: (request: Request<unknown>) => boolean = () => false): void {
    this.#lost = cause;
    const { address } = this.#parts;
    const lost = new ConnectionLostError(address, cause);
    for (const sending of [...this.#pending.keys()]) {
      this.#settled(sending);
      if (isAnswer(sending.request)) sending.resolve({ ok: true, value: undefined, zxid: 0n });
      else sending.reject(lost);
    }
    const unsent = new RequestUnsentError(address, cause);
    for (const { reject } of this.#backlog.splice(0)) reject(unsent);
  }

  #dispatch(sending: Sending): void {
    this.#pending.set(sending, this.#parts.transmit(sending));
    if (!sending.background && ++this.#foreground === 1) this.#parts.hold(true);
  }

  /** Sends waiting requests that may be sent now. */
  #dispatchNext(): void {
    if (this.#backlog.length === 0) return;
    for (const sending of this.#backlog.splice(0, Math.max(0, window - this.#pending.size))) {
      try {
        this.#dispatch(sending);
      } catch (error) {
        sending.reject(error as Error);
      }
    }
  }

  /** `false`: its caller was answered before. */
  #settled(sending: Sending): boolean {
    if (!this.#pending.delete(sending)) return false;
    if (!sending.background && --this.#foreground === 0) this.#parts.hold(false);
    return true;
  }
}
