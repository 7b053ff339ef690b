import type { Socket } from 'node:net';

/** What a statement is given. */
export type Value = string | number | bigint | boolean | Buffer | null | readonly string[] | readonly Buffer[];

/** Rows as arrays of texts. */
export interface Reply {
  readonly rows: readonly (readonly (string | null)[])[];
  readonly fields?: readonly { readonly name: string }[];
}

/** A query as `pg` takes it. */
export interface Query {
  readonly text: string;
  readonly values: readonly Value[];
  readonly rowMode: string;
  readonly types: { readonly getTypeParser: () => (text: unknown) => unknown };
  readonly name?: string;
}

/** What statements go over. */
export interface PgConnection {
  query(query: Query | string): Promise<Reply>;
  /** Of the newest versions of `pg`: the status that the server told last. */
  getTransactionStatus?(): string | null;
  /** Of `pg`: what the server sends. Absent: the library does not show that. */
  readonly connection?:
    | {
        /** At the end of each query, with the status of the transaction. */
        on?(event: 'readyForQuery', listener: (message: { readonly status: string }) => void): unknown;
      }
    | undefined;
}

/** The part of a client of `pg` that is used. */
export interface PgSession extends PgConnection {
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  on(event: 'error' | 'end', listener: () => void): unknown;
  end(): Promise<void>;
  readonly host: string;
  readonly port: number;
  /** By what the server knows it, to cancel what it does. */
  readonly processID: number | null;
  readonly secretKey: number | null;
  readonly connection: NonNullable<PgConnection['connection']> & { readonly stream: Socket };
}
