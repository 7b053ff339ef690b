import { once } from 'node:events';
import { closing } from '@locks/test-servers';
import { createClient } from 'node-zookeeper-client';
import { createZookeeperProvider } from '../../src/index.ts';
import { startAlone } from '../support/backends.ts';
import { suite } from '../support/conformance.ts';
import type { Make } from '../support/conformance.ts';
import { ofClientInstance } from '../support/selection.ts';

/** Over a client of the caller's, which has connected before and outlives the provider. */
const overInstance: Make = async ({ servers, sessionTimeout = 6_000, ...options }) => {
  const client = createClient(servers, { sessionTimeout: Number(sessionTimeout), spinDelay: 50 });
  client.connect();
  await once(client as never, 'connected');
  const provider = createZookeeperProvider({ ...options, client });
  // Its first call proves that the session lasts, for longer than some requirements wait.
  await provider.inspect('first');
  return closing(provider, async () => {
    if (client.getState().name !== 'SYNC_CONNECTED') return;
    const left = once(client as never, 'disconnected');
    client.close();
    // Else the server keeps its session until that lapses, and each requirement waits for it.
    await left;
  });
};

const backend = await startAlone();
suite('node-zookeeper-client, a client', backend, {}, ofClientInstance, overInstance);
