import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { isLockError } from '@locks/core';
import { messageOf } from '@locks/core/text';

/** The answer to a wrong request: an HTTP status, and what to do, for the page. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;

  constructor(status: number, message: string, headers: OutgoingHttpHeaders = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** No cache, frame or other site may get what the page shows. */
const always: OutgoingHttpHeaders = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Sends `body`, unless the reader has disconnected. */
export function send(response: ServerResponse, status: number, headers: OutgoingHttpHeaders, body: string): void {
  if (response.destroyed || response.headersSent) return;
  const length = Buffer.byteLength(body);
  response.writeHead(status, { ...always, ...headers, 'content-length': length });
  response.end(body);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers?: OutgoingHttpHeaders,
): void {
  send(response, status, { 'content-type': 'application/json; charset=utf-8', ...headers }, JSON.stringify(value));
}

/** Sends the reason of a failure. */
export function sendError(response: ServerResponse, error: unknown): void {
  if (error instanceof Refusal) sendJson(response, error.status, { error: error.message }, error.headers);
  else sendJson(response, statusOf(error), { error: messageOf(error) });
}

function statusOf(error: unknown): number {
  if (isLockError(error, 'LOCK_INVALID')) return 400;
  return isLockError(error) ? 503 : 500;
}
