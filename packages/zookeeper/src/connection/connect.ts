import { errorText } from '@locks/core/adapter';
import { FrameSplitter } from '../wire/frames.ts';
import { Writer } from '../wire/writer.ts';
import { ProtocolError } from '../wire/protocol-error.ts';
import type { Reader } from '../wire/reader.ts';
import type { WatchEvent } from '../wire/records.ts';
import type { AskParts } from './ask.ts';
import type { Connection } from './connection.ts';
import {
  AuthFailedError,
  ConnectError,
  ConnectionClosedError,
  SessionExpiredError,
  SilentServerError,
} from './errors.ts';
import { printSession, readHandshakeReply, writeHandshake } from './handshake.ts';
import type { Accepted, Credentials, Resumed } from './handshake.ts';
import { OpenConnection } from './open-connection.ts';
import { openSocket } from './socket.ts';

/** How to connect to a server. `within` covers TCP, TLS, the handshake and the credentials. */
export interface ConnectionParts extends AskParts {
  /** Requested, in ms; the server decides. */
  readonly sessionTimeout: number;
  /** The session to resume, instead of a new one. */
  readonly resume?: Resumed | undefined;
  /**
   * The highest transaction seen so far, 0 for a new session. A server that has not seen it refuses
   * the connection.
   */
  readonly lastZxid: bigint;
  readonly auth: readonly Credentials[];
  /**
   * The longest accepted reply, in bytes.
   * @default 4 MiB
   */
  readonly maxFrame?: number | undefined;
  /** The number of the first request, for tests. @default 1 */
  readonly firstXid?: number;
  /**
   * Called in the order of events and replies, perhaps before the promise of `connect` resolves.
   * Must not throw.
   */
  onEvent(event: WatchEvent): void;
  /**
   * Called once, when a connection returned by `connect` has ended, after the rejections and after
   * the promise of `connect`. Never called during a call. Must not throw.
   */
  onEnd(cause: Error): void;
}

const defaultMaxFrame = 4 * 1024 * 1024;

/**
 * Connects to one server, begins or resumes a session, and sends the credentials. The socket is
 * closed on rejection.
 * @throws {@link SessionExpiredError} if the session does not exist. {@link AuthFailedError} for
 * refused credentials. Otherwise {@link ConnectError}.
 */
export function connect(parts: ConnectionParts): Promise<Connection> {
  const { address, runtime, signal } = parts;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new ConnectError(address, 'given up', signal.reason));
      return;
    }
    let openedAt = 0;
    let accepted: Accepted | undefined;
    let authenticated = 0;
    let open: OpenConnection | undefined;

    const socket = openSocket(address, parts.tls, () => {
      const writer = new Writer();
      writeHandshake(writer, parts);
      openedAt = runtime.clock.now();
      socket.write(writer.take());
    });
    if (parts.background === true) socket.unref();
    const frames = new FrameSplitter(parts.maxFrame ?? defaultMaxFrame, (frame) => {
      if (open === undefined) shakeHands(frame);
      else open.receive(frame);
    });
    const timer = runtime.setTimer(() => fail(new SilentServerError(address, parts.within)), parts.within, false);
    const abort = () => fail(new ConnectError(address, 'given up', signal?.reason));
    signal?.addEventListener('abort', abort, { once: true });

    function shakeHands(frame: Reader): void {
      const reply = readHandshakeReply(frame, accepted !== undefined);
      if ('accepted' in reply) {
        ({ accepted } = reply);
        if (accepted.timeout <= 0) throw new SessionExpiredError(address);
        const asked = parts.resume?.id ?? accepted.id;
        if (accepted.id !== asked)
          throw new ConnectError(
            address,
            `it answered with session ${printSession(accepted.id)} in place of ${printSession(asked)}`,
          );
        if (accepted.readOnly) throw new ConnectError(address, 'it is read-only, cut off from its quorum');
      } else {
        if (authenticated === parts.auth.length) throw new ProtocolError('an answer to credentials that were not sent');
        if (reply.code !== 0) throw new AuthFailedError(address, parts.auth[authenticated]?.scheme);
        authenticated += 1;
      }
      if (accepted === undefined || authenticated < parts.auth.length) return;
      settle();
      open = new OpenConnection({ firstXid: 1, ...parts, session: accepted, openedAt, socket });
      resolve(open);
    }

    function settle(): void {
      runtime.clearTimer(timer);
      signal?.removeEventListener('abort', abort);
    }

    function fail(error: Error): void {
      if (open !== undefined) {
        open.destroy(error);
        return;
      }
      settle();
      socket.destroy();
      const typed =
        error instanceof ConnectError || error instanceof SessionExpiredError || error instanceof AuthFailedError;
      reject(typed ? error : new ConnectError(address, errorText(error), error));
    }

    socket.on('data', (chunk: Buffer) => {
      open?.heard();
      try {
        frames.push(chunk);
      } catch (error) {
        fail(error as Error);
      }
    });
    socket.on('error', fail);
    socket.on('end', () => fail(new ConnectionClosedError('the server closed the connection')));
    socket.on('close', () => fail(new ConnectionClosedError('the server closed the connection')));
  });
}
