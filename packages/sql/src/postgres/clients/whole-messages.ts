import type { Socket } from 'node:net';

/** The longest message of a server, in bytes. */
const longest = 2 ** 30;
/** The code of a message and its length. */
const header = 5;

/**
 * Ends `stream` with an own error for data that is no message of Postgres, and for what a library
 * throws while reading: outside of any promise, that would end the process. Libraries loop forever
 * on a text without an end.
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
  let rest: Buffer | undefined;
  return (chunk) => {
    const all = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    let end = 0;
    while (all.length - end >= header) {
      const length = all.readUInt32BE(end + 1);
      if (length < header - 1 || length > longest) throw new Error(`a message of length ${length}`);
      const next = end + 1 + length;
      if (next > all.length) break;
      checkTexts(all, end, next);
      end = next;
    }
    // Almost always: slicing a buffer costs more than all that is read here.
    if (end === all.length) {
      rest = undefined;
      return all;
    }
    rest = all.subarray(end);
    return all.subarray(0, end);
  };
}

/** The codes of the messages that contain texts. */
const codes = { authentication: 82, command: 67, parameter: 83, notification: 65, error: 69, notice: 78, columns: 84 };

/** Checks that each text of the message of `all` from `start` to `end` ends within it. */
function checkTexts(all: Buffer, start: number, end: number): void {
  let at = start + header;
  /** Skips the text at `at`. Returns whether it was not empty. */
  const skipText = (): boolean => {
    const from = at;
    while (at < end && all[at] !== 0) at += 1;
    if (at >= end) throw new Error(`a message "${String.fromCharCode(all[start] ?? 0)}" in which a text has no end`);
    at += 1;
    return at > from + 1;
  };
  switch (all[start]) {
    case codes.command:
      skipText();
      break;
    case codes.parameter:
      skipText();
      skipText();
      break;
    case codes.notification:
      at += 4;
      skipText();
      skipText();
      break;
    // Each field has a type and a text.
    case codes.error:
    case codes.notice:
      while (skipText());
      break;
    // The SASL mechanisms.
    case codes.authentication:
      if (end - at < 4) throw new Error('a message "R" that is too short');
      if (all.readInt32BE(at) !== 10) break;
      at += 4;
      while (skipText());
      break;
    // A name and 18 bytes for each column.
    case codes.columns:
      if (end - at < 2) throw new Error('a message "T" that is too short');
      at += 2;
      for (let left = all.readInt16BE(at - 2); left > 0; left -= 1) {
        skipText();
        at += 18;
      }
      break;
    default:
  }
}
