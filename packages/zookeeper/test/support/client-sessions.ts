import { systemRuntime } from '@locks/core/adapter';
import { once } from 'node:events';
import { createClient } from 'node-zookeeper-client';
import type { Client, Option } from 'node-zookeeper-client';
import { onTestFinished } from 'vitest';
import { clientTransport } from '../../src/clients/node-zookeeper-client/client-transport.ts';
import type { SessionManager } from '../../src/session/session-manager.ts';
import { openSessions } from './sessions.ts';
import type { OpenedOptions } from './sessions.ts';

interface Target {
  readonly host: string;
  readonly port: number;
}

/** How the clients are made. */
export interface ClientOptions extends OpenedOptions {
  readonly chroot?: string;
  /** Called with each client before it connects. */
  readonly prepareClient?: (client: Client) => void;
  readonly client?: Partial<Option>;
}

/** Sessions over `node-zookeeper-client`. */
export function clientSessions(
  targets: readonly Target[],
  { chroot = '', prepareClient, client: asked, sessionTimeout = 6_000, ...options }: ClientOptions = {},
): SessionManager {
  const make = (): Client => {
    const servers = targets.map(({ host, port }) => `${host}:${port}`).join(',');
    const client = createClient(servers + chroot, { sessionTimeout, spinDelay: 20, ...asked });
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

/** What carries sessions. */
export const transports: readonly {
  readonly over: string;
  readonly sessions: (targets: readonly Target[], options?: ClientOptions) => SessionManager;
}[] = [
  { over: 'our own transport', sessions: openSessions },
  { over: 'node-zookeeper-client', sessions: clientSessions },
];
