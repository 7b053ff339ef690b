import { FrameSplitter } from '../wire/frames.ts';
import type { Reader } from '../wire/reader.ts';
import { Writer } from '../wire/writer.ts';
import { closeSession } from '../wire/session-requests.ts';
import type { ConnectionParts } from './connect.ts';
import { ConnectError } from './errors.ts';
import { readAccepted, writeHandshake } from './handshake.ts';
import type { Resumed } from './handshake.ts';
import { openSocket } from './socket.ts';

/** How a session is ended over another connection. */
export interface EndSessionParts extends Pick<
  ConnectionParts,
  'address' | 'tls' | 'sessionTimeout' | 'within' | 'signal' | 'runtime' | 'background'
> {
  readonly session: Resumed;
}

/** In bytes. The answers here are shorter. */
const longestAnswer = 65_536;
const closeXid = 1;

/**
 * Ends a session at one server, over a connection for nothing else. The first write asks for the
 * connection and for the end of the session. So the session ends even if no answer comes back. To
 * connect alone would only keep it alive. Resolves when the session is certainly over. Rejects with
 * {@link ConnectError} when that is unknown.
 */
export function endSession(parts: EndSessionParts): Promise<void> {
  const { address, runtime, signal } = parts;
  return new Promise((resolve, reject) => {
    let accepted = false;
    const socket = openSocket(address, parts.tls, () => socket.write(endRequest(parts)));
    if (parts.background === true) socket.unref();
    const timer = runtime.setTimer(() => settle('no answer in time'), parts.within, false);
    const abort = (): void => settle('given up');
    const frames = new FrameSplitter(longestAnswer, read);

    function read(frame: Reader): void {
      if (accepted) {
        if (frame.int() === closeXid) settle();
        return;
      }
      accepted = true;
      if (readAccepted(frame).timeout <= 0) settle();
    }

    function settle(failure?: string, cause?: unknown): void {
      runtime.clearTimer(timer);
      signal?.removeEventListener('abort', abort);
      socket.destroy();
      if (failure === undefined) resolve();
      else reject(new ConnectError(address, failure, cause));
    }

    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort);
    socket.on('data', (chunk: Buffer) => {
      try {
        frames.push(chunk);
      } catch (error) {
        settle('its answer cannot be read', error);
      }
    });
    socket.on('error', (error) => settle(error.message, error));
    socket.on('close', () => settle('the server closed the connection'));
  });
}

function endRequest({ session, sessionTimeout }: EndSessionParts): Buffer {
  const writer = new Writer();
  // Any server may do this, also a server without data, and no credentials are needed.
  writeHandshake(writer, { lastZxid: 0n, sessionTimeout, resume: session, auth: [] });
  const frame = writer.beginFrame();
  writer.int(closeXid);
  writer.int(closeSession.op);
  writer.endFrame(frame);
  return writer.take();
}
