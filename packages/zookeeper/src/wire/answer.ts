import type { ServerError } from './codes.ts';

/** A server's answer to one request: certain, whichever it is. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly zxid: bigint }
  | { readonly ok: false; readonly error: ServerError; readonly code: number; readonly zxid: bigint };
