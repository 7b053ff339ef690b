import { createLocks } from '@locks/core';
import type { LockError } from '@locks/core';
import { listen, unusedPort } from '@locks/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRedisGuard, createRedisProvider } from '../../src/index.ts';
import { providerOver } from '../support/over.ts';
import { clients, closeAfterTest, eventually } from '../support/redis.ts';

// Side by side: each waits for seconds until it hears from its client while that has no connection.
describe.concurrent.each(clients)('a client of the caller without a connection, %s', (_name, create) => {
  test.for([
    ['that rejects commands at once', { maxRetriesPerRequest: 0 }],
    ['that keeps no commands', { enableOfflineQueue: false }],
    ['that keeps commands', { maxRetriesPerRequest: null }],
    ['as it is made', {}],
  ] as const)('%s: errors have the reason of its connection', async ([, options], { onTestFinished: afterwards }) => {
    const port = await unusedPort();
    const refused = `connect ECONNREFUSED 127.0.0.1:${port}`;
    const client = create(`redis://127.0.0.1:${port}`, { retryStrategy: () => 200, ...options });
    client.on('error', () => {});
    afterwards(() => client.disconnect());
    await new Promise((resolve) => client.once('close', resolve));
    const provider = createRedisProvider(client, { timeout: '400ms' });
    const locks = createLocks(provider);
    const told = async (what: string, call: () => Promise<unknown>): Promise<void> => {
      // While the client opens its next connection, nothing is known yet.
      await eventually(what, async () => {
        const error = (await call().catch((reason: unknown) => reason)) as LockError;
        expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
        return `${error.message} ${(error.cause as Error | undefined)?.message}`.includes(refused);
      });
    };
    await told('an inspection', () => provider.inspect('job'));
    await told('a wait', () => locks.acquire('job', { wait: 900 }));
    await told('a wait that is shorter than the timeout of the provider', () => locks.acquire('job', { wait: 50 }));
    const guard = createRedisGuard(client, { timeout: '400ms' });
    await told('a guarded write', () => guard.write('x', '1', { token: 1n, mode: 'exclusive' }));
    await locks.close();
    await provider.close();
  });
});

/** The URL of a server that accepts connections and says nothing. */
async function silentServer(): Promise<string> {
  const { host, port, stop } = await listen();
  onTestFinished(stop);
  return `redis://${host}:${port}`;
}

test('a client that opens its first connection has none, whatever it says of its queue', async () => {
  const [[, create]] = clients;
  const client = create(await silentServer(), { enableOfflineQueue: false });
  closeAfterTest(client);
  const provider = providerOver(client);
  await expect(provider.inspect('job')).rejects.toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    message: 'Redis failed at an inspection on "job": its client has no connection',
    sent: false,
  });
});

test('where the client says no more, an error has the status of the client', async () => {
  const [[, create]] = clients;
  const client = create(await silentServer());
  closeAfterTest(client);
  const provider = providerOver(client, { timeout: '300ms' });
  await expect(provider.inspect('job')).rejects.toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    message:
      'Redis did not answer an inspection on "job" within 300 ms. The client is not ready to send: its status is "connect".',
  });
});

test('a guard refuses options that it does not have', () => {
  const [[, create]] = clients;
  const client = create('redis://127.0.0.1:1', { lazyConnect: true });
  expect(() => createRedisGuard(client, { timeout: 'soon' })).toThrow('option "timeout" must be an integer');
  expect(() => createRedisGuard(client, { tiemout: 5 } as never)).toThrow('Did you mean "timeout"?');
});
