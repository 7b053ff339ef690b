import type { Runtime } from '@locks/core/adapter';
import type { Address } from '../../connection/address.ts';
import type { Connection, SendOptions } from '../../connection/connection.ts';
import { ConnectionLostError, fatalError } from '../../connection/errors.ts';
import { RequestQueue } from '../../connection/request-queue.ts';
import type { Sending, Sent } from '../../connection/request-queue.ts';
import { checkLength } from '../../connection/request-writer.ts';
import type { Answer } from '../../wire/answer.ts';
import { Writer } from '../../wire/writer.ts';
import type { WatchEvent } from '../../wire/records.ts';
import type { Request } from '../../wire/request.ts';
import { closeSession } from '../../wire/session-requests.ts';
import { CallLostError, perform } from './calls.ts';
import type { ManagedClient } from './managed-client.ts';

export interface ClientConnectionParts {
  readonly managed: ManagedClient;
  readonly openedAt: number;
  readonly lastZxid: bigint;
  readonly runtime: Runtime;
  fire(event: WatchEvent): void;
  /** Called once, when it has ended. */
  onEnd(cause: Error): void;
}

/** Measures the length of requests. */
const measure: Writer = new Writer();

/** One connection of a client, until the client loses it. */
export class ClientConnection implements Connection {
  readonly address: Address;
  readonly session: Connection['session'];
  openedAt: number;
  lastZxid: bigint;
  lastHeardAt: number;
  lastAnsweredAt: number;
  readonly #parts: ClientConnectionParts;
  readonly #requests: RequestQueue;

  constructor(parts: ClientConnectionParts) {
    const { managed, runtime } = parts;
    const { client, address } = managed;
    this.address = address;
    const id = client.getSessionId().readBigInt64BE();
    this.session = { id, password: client.getSessionPassword(), timeout: client.getSessionTimeout() };
    this.openedAt = parts.openedAt;
    this.lastZxid = parts.lastZxid;
    this.lastHeardAt = runtime.clock.now();
    this.lastAnsweredAt = this.lastHeardAt;
    this.#parts = parts;
    this.#requests = new RequestQueue({
      address,
      transmit: (sending) => this.#transmit(sending),
      hold: (alive) => managed.hold(alive),
    });
    managed.hold(false);
    managed.listen({
      heard: () => {
        this.lastHeardAt = runtime.clock.now();
      },
      lost: (cause) => this.#end(cause),
    });
  }

  get unanswered(): number {
    return this.#requests.size;
  }

  get oldestUnansweredAt(): number | undefined {
    return this.#requests.oldest?.[1].sentAt;
  }

  get ended(): boolean {
    return this.#requests.lost !== undefined;
  }

  send<T>(request: Request<T>, options?: SendOptions): Promise<Answer<T>> {
    return this.#requests.send(request, options);
  }

  destroy(cause: Error): void {
    if (this.ended) return;
    this.#end(cause);
    this.#parts.managed.cut();
  }

  async end(within: number): Promise<void> {
    await this.#parts.managed.end(within, new AbortController().signal);
  }

  #transmit(sending: Sending): Sent {
    const { managed, runtime, fire } = this.#parts;
    const { call, what } = sending.request;
    checkWritten(sending.request);
    const sentAt = runtime.clock.now();
    const { client, watcher, watches, nodes } = managed;
    const settleNodes = nodes?.sending(call);
    const answered = (zxid: bigint): void => {
      this.lastAnsweredAt = runtime.clock.now();
      if (zxid > this.lastZxid) this.lastZxid = zxid;
    };
    perform({ client, watcher, watches, fire, answered }, call).then(
      (answer) => {
        settleNodes?.(answer);
        this.#requests.answered(sending, answer);
      },
      (error: unknown) => {
        if (error instanceof CallLostError) this.destroy(fatalError(this.address, error.code, what));
        else this.#requests.failed(sending, new ConnectionLostError(this.address, error as Error));
      },
    );
    return { xid: 0, sentAt };
  }

  #end(cause: Error): void {
    if (this.ended) return;
    // The client reports the end of its session as the end of its connection.
    this.#requests.end(cause, (request) => request === closeSession);
    // After the effects of the rejections, and after the code that waited for this connection.
    setImmediate(() => this.#parts.onEnd(cause));
  }
}

/** Throws `RangeError` as a connection of this package does. */
function checkWritten({ call, what, write }: Request<unknown>): void {
  if (call.type !== 'multi' && call.type !== 'create' && call.type !== 'setData') return;
  measure.truncate(0);
  write(measure);
  const header = 8;
  const length = measure.length + header;
  measure.truncate(0);
  checkLength(what, length);
}
