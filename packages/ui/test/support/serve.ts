import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { IncomingHttpHeaders, OutgoingHttpHeaders, RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLocks, createMemoryProvider } from '@locks/core';
import type { Locks, LocksOptions } from '@locks/core';
import { onTestFinished } from 'vitest';
import { createUi } from '../../src/index.ts';
import type { UiOptions } from '../../src/index.ts';
import type { StateView } from '../../src/views.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server of this test, and requests to it. */
export interface Site {
  readonly port: number;
  request(method: string, path: string, headers?: OutgoingHttpHeaders): Promise<Answer>;
  /** What the page shows. */
  state(query?: Readonly<Record<string, string>>): Promise<StateView>;
}

/** Serves `listener`. Pages of it are at `base`. */
export async function serve(listener: RequestListener, base = ''): Promise<Site> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return siteAt(port, base);
}

/** Requests to what listens at `port`. */
export function siteAt(port: number, base = ''): Site {
  const request: Site['request'] = async (method, path, headers = {}) => {
    const sent = send({ host: '127.0.0.1', port, method, path, headers }).end();
    const [response] = (await once(sent, 'response')) as [AsyncIterable<Buffer> & { statusCode: number } & Headed];
    let body = '';
    for await (const chunk of response) body += chunk.toString();
    return { status: response.statusCode, headers: response.headers, body };
  };
  return {
    port,
    request,
    async state(query = {}) {
      const { status, body } = await request('GET', `${base}/state?${new URLSearchParams(query).toString()}`);
      if (status !== 200) throw new Error(`${status}: ${body}`);
      return JSON.parse(body) as StateView;
    },
  };
}

interface Headed {
  readonly headers: IncomingHttpHeaders;
}

/** Locks in memory, until the end of the test. */
export function memoryLocks(options: LocksOptions = {}): Locks {
  const locks = createLocks(createMemoryProvider(), { label: 'web-1', closeProvider: true, ...options });
  onTestFinished(async () => await locks.close());
  return locks;
}

/** A page of `locks` on a server of its own. */
export async function servePage(options: UiOptions): Promise<Site> {
  const ui = createUi(options);
  onTestFinished(() => ui.end());
  return await serve(ui, options.basePath);
}
