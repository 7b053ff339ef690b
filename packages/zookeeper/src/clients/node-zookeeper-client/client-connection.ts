import type { Runtime } from '@locks/core/adapter';
import type { Address } from '../../connection/address.ts';
import type { Connection, SendOptions } from '../../connection/connection.ts';
import {
  AuthFailedError,
  ConnectionLostError,
  FatalAnswerError,
  RequestUnsentError,
  SessionExpiredError,
} from '../../connection/errors.ts';
import { checkLength } from '../../connection/request-writer.ts';
import type { Answer } from '../../wire/answer.ts';
import { Writer } from '../../wire/writer.ts';
import type { WatchEvent } from '../../wire/records.ts';
import type { Request } from '../../wire/request.ts';
import { closeSession } from '../../wire/session-requests.ts';
import { CallLostError, perform } from './calls.ts';
import type { ManagedClient } from './managed-client.ts';

/** What a connection is made of. */
export interface ClientConnectionParts {
  readonly managed: ManagedClient;
  readonly openedAt: number;
  readonly lastZxid: bigint;
  readonly runtime: Runtime;
  fire(event: WatchEvent): void;
  /** Called once, when it has ended. */
  onEnd(cause: Error): void;
}

interface Sending {
  readonly request: Request<unknown>;
  readonly background: boolean;
  resolve(answer: Answer<unknown>): void;
  reject(error: Error): void;
}

/** A request that the client has taken. */
interface Pending extends Sending {
  readonly sentAt: number;
}

/** As many as over a connection of this package: see `OpenConnection`. */
const window = 256;

/** For lengths of requests. */
const measure: Writer = new Writer();

/** One connection of a client, until the client loses it. */
export class ClientConnection implements Connection {
  readonly address: Address;
  readonly session: Connection['session'];
  openedAt: number;
  readonly #parts: ClientConnectionParts;
  readonly #pending: Set<Pending> = new Set();
  readonly #backlog: Sending[] = [];
  #foreground = 0;
  #lastZxid: bigint;
  #lastHeardAt: number;
  #lastAnsweredAt: number;
  #lost: Error | undefined;

  constructor(parts: ClientConnectionParts) {
    const { managed, runtime } = parts;
    const { client } = managed;
    this.address = managed.address;
    const id = client.getSessionId().readBigInt64BE();
    this.session = { id, password: client.getSessionPassword(), timeout: client.getSessionTimeout() };
    this.openedAt = parts.openedAt;
    this.#parts = parts;
    this.#lastZxid = parts.lastZxid;
    this.#lastHeardAt = runtime.clock.now();
    this.#lastAnsweredAt = this.#lastHeardAt;
    managed.hold(false);
    managed.listen({
      heard: () => {
        this.#lastHeardAt = runtime.clock.now();
      },
      lost: (cause) => this.#end(cause),
    });
  }

  get lastZxid(): bigint {
    return this.#lastZxid;
  }

  get lastHeardAt(): number {
    return this.#lastHeardAt;
  }

  get lastAnsweredAt(): number {
    return this.#lastAnsweredAt;
  }

  get unanswered(): number {
    return this.#pending.size;
  }

  get oldestUnansweredAt(): number | undefined {
    const [oldest] = this.#pending;
    return oldest?.sentAt;
  }

  get ended(): boolean {
    return this.#lost !== undefined;
  }

  send<T>(request: Request<T>, options?: SendOptions): Promise<Answer<T>> {
    return new Promise((resolve, reject) => {
      if (this.#lost !== undefined) {
        reject(new RequestUnsentError(this.address, this.#lost));
        return;
      }
      checkWritten(request);
      const background = options?.background ?? false;
      const sending = { request, background, resolve: resolve as Sending['resolve'], reject };
      if (background || (this.#backlog.length === 0 && this.#pending.size < window)) this.#dispatch(sending);
      else this.#backlog.push(sending);
    });
  }

  destroy(cause: Error): void {
    if (this.#lost !== undefined) return;
    this.#end(cause);
    this.#parts.managed.cut();
  }

  async end(within: number): Promise<void> {
    await this.#parts.managed.end(within, new AbortController().signal);
  }

  #dispatch(sending: Sending): void {
    const { managed, runtime, fire } = this.#parts;
    const pending: Pending = { ...sending, sentAt: runtime.clock.now() };
    this.#pending.add(pending);
    if (!pending.background) this.#hold(1);
    const { client, watcher, watches, nodes } = managed;
    const { call } = pending.request;
    const settleNodes = nodes?.sending(call);
    const answered = (zxid: bigint): void => {
      this.#lastAnsweredAt = runtime.clock.now();
      if (zxid > this.#lastZxid) this.#lastZxid = zxid;
    };
    perform({ client, watcher, watches, fire, answered }, call).then(
      (answer) => {
        settleNodes?.(answer);
        if (this.#settled(pending)) pending.resolve(answer);
        this.#dispatchNext();
      },
      (error: unknown) => this.#fail(pending, error as Error),
    );
  }

  #dispatchNext(): void {
    if (this.#lost !== undefined) return;
    for (const next of this.#backlog.splice(0, Math.max(0, window - this.#pending.size))) this.#dispatch(next);
  }

  #fail(pending: Pending, error: Error): void {
    if (!this.#settled(pending)) return;
    const cause = this.#lost ?? this.#causeOf(error, pending.request.what);
    pending.reject(new ConnectionLostError(this.address, cause));
    if (error instanceof CallLostError) this.destroy(cause);
  }

  #causeOf(error: Error, what: string): Error {
    if (!(error instanceof CallLostError)) return error;
    if (error.code === 'SESSION_EXPIRED') return new SessionExpiredError(this.address);
    if (error.code === 'AUTH_FAILED') return new AuthFailedError(this.address, undefined);
    return new FatalAnswerError(this.address, error.code, what);
  }

  #settled(pending: Pending): boolean {
    if (!this.#pending.delete(pending)) return false;
    if (!pending.background) this.#hold(-1);
    return true;
  }

  #hold(change: number): void {
    this.#foreground += change;
    if (this.#foreground === Math.max(change, 0)) this.#parts.managed.hold(this.#foreground > 0);
  }

  #end(cause: Error): void {
    if (this.#lost !== undefined) return;
    this.#lost = cause;
    const lost = new ConnectionLostError(this.address, cause);
    for (const pending of [...this.#pending]) {
      if (!this.#settled(pending)) continue;
      // The client answers the end of its session with the end of its connection.
      if (pending.request === closeSession) pending.resolve({ ok: true, value: undefined, zxid: 0n });
      else pending.reject(lost);
    }
    const unsent = new RequestUnsentError(this.address, cause);
    for (const { reject } of this.#backlog.splice(0)) reject(unsent);
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
