import { FrameSplitter } from '../wire/frames.ts';
import { Writer } from '../wire/writer.ts';
import { closeSession } from '../wire/session-requests.ts';
import { ask } from './ask.ts';
import type { AskParts } from './ask.ts';
import { ConnectError } from './errors.ts';
import { readAccepted, writeHandshake } from './handshake.ts';
import type { Resumed } from './handshake.ts';

export interface EndSessionParts extends AskParts {
  readonly sessionTimeout: number;
  readonly session: Resumed;
}

/** In bytes. The answers here are shorter. */
const longestAnswer = 65_536;
const closeXid = 1;

/**
 * Ends a session at one server, over a separate connection. The first write requests both the
 * connection and the end of the session, so the session ends even without an answer. Connecting
 * alone would keep it alive. Resolves when the session is certainly over. Rejects with {@link
 * ConnectError} if that is unknown.
 */
export async function endSession(parts: EndSessionParts): Promise<void> {
  let accepted = false;
  let ended = false;
  const frames = new FrameSplitter(longestAnswer, (frame) => {
    if (accepted) ended ||= frame.int() === closeXid;
    else ended = readAccepted(frame).timeout <= 0;
    accepted = true;
  });
  const failure = await ask(parts, endRequest(parts), (chunk) => {
    frames.push(chunk);
    return ended;
  });
  if (failure !== undefined) throw new ConnectError(parts.address, failure.message, failure);
}

function endRequest({ session, sessionTimeout }: EndSessionParts): Buffer {
  const writer = new Writer();
  // Any server may do this, even without data, and no credentials are needed.
  writeHandshake(writer, { lastZxid: 0n, sessionTimeout, resume: session, auth: [] });
  const frame = writer.beginFrame();
  writer.int(closeXid);
  writer.int(closeSession.op);
  writer.endFrame(frame);
  return writer.take();
}
