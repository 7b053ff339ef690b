import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocks } from '@locks/core';
import {
  expired,
  ofElsewhere,
  otherSelfSigned,
  selfSigned,
  startEtcd,
  startTlsFront,
  startZookeeper,
} from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { startStore, storeNames } from '../support/stores.ts';
import type { StoreName } from '../support/stores.ts';

const ca = selfSigned.cert;
/** In ms. A refusal comes at once. */
const [connectTimeout, soon] = [30_000, 8_000];

/** What the two sides do not agree on, and what the error says. */
const faults: readonly (readonly [what: string, server: object, client: object, message: RegExp])[] = [
  ['a certificate of an authority that is not known', otherSelfSigned, { ca }, /certificate/],
  ['a certificate that has expired', expired, { ca }, /expired/],
  ['a certificate of another host', ofElsewhere, { ca }, /altnames|cert's list/],
  [
    'a server that wants a certificate of its clients',
    { requestCert: true, rejectUnauthorized: true, ca },
    { ca },
    /certificate|alert/,
  ],
];
const stores = storeNames.filter((name) => name !== 'sqlite');

async function refused(url: string, options: object, message: RegExp): Promise<void> {
  const since = performance.now();
  const error: unknown = await openLocks({ url, options: { connectTimeout, ...options } }).catch(
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({
    code: 'LOCK_MISCONFIGURED',
    message: expect.stringMatching(/option "tls"/) as string,
  });
  expect((error as Error).message).toMatch(message);
  expect(performance.now() - since).toBeLessThan(soon);
}

/** What says that a URL is one of TLS, on that store. */
function withTls(name: StoreName, url: string): string {
  return name === 'redis' || name === 'etcd' ? url.replace(`${name}:`, `${name}s:`) : url;
}

test.each(stores)('%s over TLS: what cannot work is refused at once, and the error names the option', async (name) => {
  const store = await startStore(name);
  onTestFinished(() => store.stop());
  await (await store.open()).close();
  for (const [what, server, client, message] of faults) {
    const front = await startTlsFront(store.url, server);
    await refused(withTls(name, front.url), { ...store.options, tls: client }, message).catch((error: unknown) => {
      throw new Error(`${what}: ${(error as Error).message}`);
    });
    await front.stop();
  }
  const front = await startTlsFront(store.url, { requestCert: true, rejectUnauthorized: true, ca });
  const options = { ...store.options, tls: { ca, ...selfSigned } };
  const use = async (): Promise<void> => {
    const locks = await openLocks({ url: withTls(name, front.url), options });
    await locks.withLock('job', () => {});
    await locks.close();
  };
  // The front has taken one of the packets, whose numbers MariaDB checks: the handshake was good.
  if (name === 'mariadb') await expect(use()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  else await use();
  await front.stop();
});

/** Servers that accept certificates of `selfSigned` only. */
const strict: readonly (readonly [
  name: string,
  start: (file: string) => Promise<{ readonly url: string; stop(): Promise<unknown> }>,
])[] = [
  ['etcd', async (file) => await startEtcd({ tls: true, args: ['--client-cert-auth', '--trusted-ca-file', file] })],
  [
    'zookeeper',
    async () => {
      const { tls, stop } = await startZookeeper({ tls: 'mutual' });
      return { url: `zookeeper://${tls.host}:${tls.port}`, stop };
    },
  ],
];

test.each(strict)(
  '%s refuses a client without a certificate, or with one that it does not know, at once',
  async (name, start) => {
    const folder = mkdtempSync(join(tmpdir(), 'locks-tls-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'ca.pem');
    writeFileSync(file, ca);
    const server = await start(file);
    onTestFinished(async () => void (await server.stop()));
    for (const own of [{}, otherSelfSigned]) {
      const options = { ...(name === 'zookeeper' && { acl: 'open' }), tls: { ca, ...own } };
      await refused(server.url, options, /certificate|alert/);
    }
  },
);
