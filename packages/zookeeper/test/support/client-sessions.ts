import { systemRuntime } from '@locks/core/adapter';
import { once } from 'node:events';
import { createClient } from 'node-zookeeper-client';
import type { Client, Exception } from 'node-zookeeper-client';
import { onTestFinished } from 'vitest';
import { clientTransport } from '../../src/clients/node-zookeeper-client/client-transport.ts';
import type { SessionManager } from '../../src/session/session-manager.ts';
import { serversOf } from './servers.ts';
import type { Place } from './servers.ts';
import { openSessions } from './sessions.ts';
import type { OpenedOptions } from './sessions.ts';

/** How the clients are made. */
export interface ClientOptions extends OpenedOptions {
  /** Called with each client before it connects. */
  readonly prepareClient?: (client: Client) => void;
}

/** Sessions over `node-zookeeper-client`. */
export function clientSessions(
  targets: readonly Place[],
  { prepareClient, sessionTimeout = 6_000, ...options }: ClientOptions = {},
): SessionManager {
  const make = (): Client => {
    const client = createClient(serversOf(...targets), { sessionTimeout, spinDelay: 20 });
    prepareClient?.(client);
    return client;
  };
  return openSessions([], { transport: clientTransport(make, options.runtime ?? systemRuntime), ...options });
}

/** A client that is connected, and closed at the end of the test. */
export async function connectClient(port: number, sessionTimeout: number): Promise<Client> {
  const client = createClient(`127.0.0.1:${port}`, { sessionTimeout, spinDelay: 20 });
  client.connect();
  await once(client as never, 'connected');
  onTestFinished(() => client.close());
  return client;
}

/** The value that a callback is called with. */
export function called<T>(run: (callback: (error: Error | Exception | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    run((error, value) => {
      if (error === null) resolve(value);
      else reject(new Error(String(error), { cause: error }));
    });
  });
}

/** What carries sessions. */
export const transports: readonly {
  readonly over: string;
  readonly sessions: (targets: readonly Place[], options?: ClientOptions) => SessionManager;
}[] = [
  { over: 'our own transport', sessions: openSessions },
  { over: 'node-zookeeper-client', sessions: clientSessions },
];
