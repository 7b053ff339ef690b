import { openLocks } from '@locks/core';
import { adapters } from '@locks/core/open';
import { listen } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';

/** A server that accepts connections, and says nothing. */
async function silentServer(): Promise<string> {
  const server = await listen();
  onTestFinished(() => server.stop());
  return `${server.host}:${server.port}`;
}

const schemes = Object.values(adapters)
  .filter(({ module }) => !module.startsWith('@locks/composites'))
  .flatMap((adapter) => adapter.schemes)
  .filter((scheme) => !['sqlite', 'redis+unix'].includes(scheme));
const urlOf = (scheme: string, host: string): string =>
  `${scheme}://u:p@${host}${scheme.endsWith('cluster') ? '' : '/0'}`;

test('connectTimeout is the whole time for a server that says nothing, on each store', async () => {
  // Their drivers are loaded.
  const host = await silentServer();
  await Promise.all(schemes.map((scheme) => openLocks(`${urlOf(scheme, host)}?connectTimeout=50`).catch(() => {})));
  const took = await Promise.all(
    schemes.map(async (scheme) => {
      const address = urlOf(scheme, await silentServer());
      const began = performance.now();
      await expect(openLocks(`${address}?connectTimeout=3s`)).rejects.toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        message: expect.not.stringContaining('5000 ms') as string,
      });
      return [scheme, performance.now() - began] as const;
    }),
  );
  // On a busy machine all are late. Sentinels may be given up before.
  const usual = took.map(([, ms]) => ms).toSorted((one, other) => one - other)[took.length >> 1] ?? 0;
  expect(took.filter(([, ms]) => ms > usual + 400)).toEqual([]);
}, 30_000);
