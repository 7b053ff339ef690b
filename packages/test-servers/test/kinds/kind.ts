import type { ServerHandle } from '../../src/index.ts';

/** Options that every kind of server takes. */
export interface KindOptions {
  readonly args?: readonly string[];
}

/** A kind of server, as the tests that hold for all of them see it. */
export interface Kind {
  /** As in `LOCKS_TEST_<NAME>_URL`. */
  readonly name: string;
  readonly scheme: string;
  readonly start: (options?: KindOptions) => Promise<ServerHandle>;
  /** With these, what was written survives a SIGKILL. */
  readonly durable: KindOptions;
  /** With these it cannot start, and says why. */
  readonly broken: { readonly options: KindOptions; readonly reason: RegExp };
  /** With these it listens on `port`. */
  listenOn(port: number): KindOptions;
  /** Connects; rejects when it cannot. */
  open(url: string): Promise<Session>;
}

/** A connection. */
export interface Session extends Disposable {
  /** Resolves when the server answers. */
  ping(): Promise<void>;
  write(value: string): Promise<void>;
  /** What was written last, if the server has kept it. */
  read(): Promise<string | undefined>;
  /** The folder of the server's data, as the server sees it. */
  dataFolder(): Promise<string>;
  /** Makes the server print a line with `text`, a word, in it. */
  noteDown(text: string): Promise<void>;
  /** Resolves when the connection has ended, from whichever side. */
  readonly closed: Promise<void>;
}

/** Does one thing over a connection of its own. */
export async function over<T>(kind: Kind, url: string, act: (session: Session) => Promise<T>): Promise<T> {
  const session = await kind.open(url);
  try {
    return await act(session);
  } finally {
    session[Symbol.dispose]();
  }
}
