import type { Socket } from 'node:net';

/** A parameter of a statement. */
export type Value = string | number | bigint | boolean | Buffer | null | readonly string[] | readonly Buffer[];

/** Rows as arrays of texts. */
export interface Reply {
  readonly rows: readonly (readonly (string | null)[])[];
  readonly fields?: readonly { readonly name: string }[];
}

/** A query as `pg` accepts it. */
export interface Query {
  readonly text: string;
  readonly values: readonly Value[];
  readonly rowMode: string;
  readonly types: { readonly getTypeParser: () => (text: unknown) => unknown };
  readonly name?: string;
}

/** A connection for statements. */
export interface PgConnection {
  query(query: Query | string): Promise<Reply>;
  /** In the newest versions of `pg`: the last status that the server reported. */
  getTransactionStatus?(): string | null;
  /** In `pg`: the stream of the server. Absent: the library does not expose it. */
  readonly connection?:
    | {
        /** At the end of each query, with the status of the transaction. */
        on?(event: 'readyForQuery', listener: (message: { readonly status: string }) => void): unknown;
      }
    | undefined;
}

/** The members used of a client of `pg`. */
export interface PgSession extends PgConnection {
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  on(event: 'error' | 'end', listener: () => void): unknown;
  end(): Promise<void>;
  readonly host: string;
  readonly port: number;
  /** Identifies it to the server, to cancel its work. */
  readonly processID: number | null;
  readonly secretKey: number | null;
  readonly connection: NonNullable<PgConnection['connection']> & { readonly stream: Socket };
}
