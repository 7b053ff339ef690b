import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '@locks/core/text';
import { Failure, exitCode } from '../failure.ts';

/** What answers browsers of this host. */
export interface LocalServer {
  /** It has the token in it. A program that knows the address can use the page. */
  readonly url: string;
  /** Ends it, and the connections to it. */
  close(): Promise<void>;
}

const host = '127.0.0.1';

/**
 * Serves what `createListener` makes for a path that begins with a random token, on loopback alone.
 * `port` 0: a free one.
 * @throws `Failure` when the port cannot be had.
 */
export async function serveLocally(
  createListener: (basePath: string) => RequestListener,
  port: number,
): Promise<LocalServer> {
  const token = randomBytes(32).toString('base64url');
  const listener = createListener(`/${token}`);
  let hosts: ReadonlySet<string> = new Set();
  const server = createServer((request, response) => {
    // A site that lets its name point to this host has a page in the browser, with its own name.
    if (!hosts.has(request.headers.host ?? '')) refuse(request, response, 'Use the address as it was printed.');
    else if (!hasToken(request, token)) refuse(request, response, 'The address needs the token that was printed.');
    else listener(request, response);
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const way = port === 0 ? '' : ' Name another one with --port, or leave it out for a free one.';
    throw new Failure(exitCode.misconfigured, `Port ${port} of ${host} cannot be had: ${messageOf(error)}.${way}`);
  }
  const { port: given } = server.address() as AddressInfo;
  // A URL has no port where that is the usual one of its scheme.
  hosts = new Set([host, 'localhost'].map((name) => new URL(`http://${name}:${given}`).host));
  return {
    url: `http://${host}:${given}/${token}/`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function hasToken({ url = '' }: IncomingMessage, token: string): boolean {
  const [, first = ''] = url.split(/[/?]/, 2);
  return timingSafeEqual(digest(first), digest(token));
}

/** Of one length, whatever was sent. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function refuse(request: IncomingMessage, response: ServerResponse, why: string): void {
  request.resume();
  response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(`${why}\n`);
}
