/** A request on its way to a child process. */
export interface Envelope<Request> {
  readonly id: number;
  readonly request: Request;
}

/** What comes back. */
export type Reply =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: ErrorInfo };

/** What travels of an error. */
export interface ErrorInfo {
  readonly code: unknown;
  readonly message: string;
  readonly stack: string | undefined;
}
