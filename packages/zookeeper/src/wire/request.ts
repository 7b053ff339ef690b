import type { Reader, Writer } from './jute.ts';

/** One request: how it is written and how its reply is read. */
export interface Request<T> {
  readonly op: number;
  /** For messages: `a list of "/locks/x"`. */
  readonly what: string;
  write(writer: Writer): void;
  read(reader: Reader): T;
}
