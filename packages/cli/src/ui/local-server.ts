import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '@locks/core/text';
import { Failure, exitCode } from '../failure.ts';

/** A server for browsers of this host. */
export interface LocalServer {
  /** It includes the token: a program that knows the address can use the page. */
  readonly url: string;
  /** Ends the server and its connections. */
  close(): Promise<void>;
}

const host = '127.0.0.1';

/**
 * Serves what `createListener` returns for a path that begins with a random token, on loopback
 * only. `port` 0: any free one.
 * @throws `Failure` if the port cannot be used.
 */
export async function serveLocally(
  createListener: (basePath: string) => RequestListener,
  port: number,
): Promise<LocalServer> {
  const token = randomBytes(32).toString('base64url');
  const listener = createListener(`/${token}`);
  let hosts: ReadonlySet<string> = new Set();
  const server = createServer((request, response) => {
    // A site whose name resolves to this host sends its own name (DNS rebinding).
    if (!hosts.has(request.headers.host ?? '')) refuse(request, response, 'Use the address as it was printed.');
    else if (!hasToken(request, token)) refuse(request, response, 'The address needs the token that was printed.');
    else listener(request, response);
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const way = port === 0 ? '' : ' Choose another with --port, or leave it out for a free one.';
    throw new Failure(exitCode.misconfigured, `Port ${port} of ${host} cannot be used: ${messageOf(error)}.${way}`);
  }
  const { port: given } = server.address() as AddressInfo;
  // A URL omits the default port of its scheme.
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

/** Of constant length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function refuse(request: IncomingMessage, response: ServerResponse, why: string): void {
  request.resume();
  response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(`${why}\n`);
}
