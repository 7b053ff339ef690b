import type { ServerError } from './codes.ts';

/** A server's definite answer to one request. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly zxid: bigint }
  | { readonly ok: false; readonly error: ServerError; readonly code: number; readonly zxid: bigint };
