import type { Call } from './call.ts';
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

/** One request: how it is written and how its reply is read. */
export interface Request<T> {
  readonly op: number;
  /** The same for a client of another library, which writes its own requests. */
  readonly call: Call;
  /** For messages: `a list of "/locks/x"`. */
  readonly what: string;
  /**
   * The negative number that the protocol reserves for the request, instead of the next one of the
   * connection.
   */
  readonly xid?: number;
  write(writer: Writer): void;
  read(reader: Reader): T;
}

/** A reply without a body. */
export function readNothing(): void {}
