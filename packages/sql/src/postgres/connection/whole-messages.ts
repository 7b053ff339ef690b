import type { Socket } from 'node:net';

/** The longest message that a server sends, in bytes. */
const longest = 2 ** 30;
/** The code of a message and its length. */
const header = 5;

/**
 * Ends `stream` by an error of its own for what is no message of Postgres, and for what a library
 * throws while it reads: outside of any promise, that would end the process. Libraries look for the
 * end of a text in a message of a wrong length for ever.
 */
export function guardStream(stream: Socket): void {
  const whole = wholeMessages();
  const emit = stream.emit.bind(stream) as (event: string, ...args: readonly unknown[]) => boolean;
  stream.emit = (event: string, ...args: readonly unknown[]): boolean => {
    if (event !== 'data') return emit(event, ...args);
    try {
      const messages = whole(args[0] as Buffer);
      return messages.length === 0 || emit(event, messages);
    } catch (error) {
      const { message } = error as Error;
      stream.destroy(new Error(`what the server sent cannot be read: ${message}`, { cause: error }));
      return true;
    }
  };
}

/** The function returns the messages that are complete with `chunk`. */
function wholeMessages(): (chunk: Buffer) => Buffer {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let end = 0;
    while (all.length - end >= header) {
      const length = all.readUInt32BE(end + 1);
      if (length < header - 1 || length > longest) throw new Error(`a message of length ${length}`);
      const next = end + 1 + length;
      if (next > all.length) break;
      checkTexts(String.fromCharCode(all[end] ?? 0), all.subarray(end + header, next));
      end = next;
    }
    rest = all.subarray(end);
    return all.subarray(0, end);
  };
}

/** Checks that each text of a message ends within it. */
function checkTexts(code: string, body: Buffer): void {
  let at = 0;
  /** Moves behind the text at `at`. Returns whether there was more than its end. */
  const skipText = (): boolean => {
    const end = body.indexOf(0, at);
    if (end === -1) throw new Error(`a message "${code}" in which a text has no end`);
    const found = end > at;
    at = end + 1;
    return found;
  };
  switch (code) {
    // CommandComplete.
    case 'C':
      skipText();
      break;
    // ParameterStatus.
    case 'S':
      skipText();
      skipText();
      break;
    // NotificationResponse.
    case 'A':
      at = 4;
      skipText();
      skipText();
      break;
    // ErrorResponse and NoticeResponse: each field has a type and a text.
    case 'E':
    case 'N':
      while (skipText());
      break;
    // The ways of SASL to log in.
    case 'R':
      if (body.readInt32BE(0) !== 10) break;
      at = 4;
      while (skipText());
      break;
    // RowDescription: a name and 18 bytes for each column.
    case 'T':
      at = 2;
      for (let left = body.readInt16BE(0); left > 0; left -= 1) {
        skipText();
        at += 18;
      }
      break;
    default:
  }
}
