import { startZookeeper } from '@locks/test-servers';
import type { ConnectionOptions } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { openProvider } from '../support/providers.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

const server = await startZookeeper({ tls: 'mutual' });
/** Asks its clients for no certificate. */
const onlyServer = await startZookeeper({ tls: 'server' });
afterAll(() => Promise.all([server.stop(), onlyServer.stop()]));

test('a key that cannot be read is LOCK_MISCONFIGURED, and names the option', async () => {
  const tls = { ca: server.tls.ca, cert: server.tls.cert, key: 'no key' };
  const provider = openProvider(server.tls, { timeout: 3_000, tls });
  await expect(provider.inspect('any')).rejects.toMatchObject(misconfigured(/^@locks\/zookeeper: .*option "tls"/));
});

test.each<readonly [string, () => { readonly port: number; readonly tls?: ConnectionOptions }, RegExp]>([
  ['a port that does not speak TLS', () => ({ port: server.port, tls: { ca: server.tls.ca } }), /does not speak TLS/],
  ['a port that speaks TLS only', () => ({ port: onlyServer.tls.port }), /speaks TLS only/],
])('%s is LOCK_MISCONFIGURED, and says what to do', async (_, place, why) => {
  const { port, tls } = place();
  const provider = openProvider({ host: server.host, port }, { timeout: 5_000, tls });
  const error: unknown = await provider.inspect('any').catch((cause: unknown) => cause);
  expect(error).toMatchObject(misconfigured(/^@locks\/zookeeper: .*option "tls"/));
  expect((error as Error).message).toMatch(why);
  expect((error as Error).message).toContain(`:${port}`);
});
