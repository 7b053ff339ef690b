import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocks } from '@locks/core';
import { selfSigned, startEtcd } from '@locks/test-servers';
import { afterAll, expect, test } from 'vitest';
import { open, sharedServer } from '../support/etcd.ts';
import { refusal } from '../support/refusal.ts';

const server = await startEtcd({ tls: true });
afterAll(() => server.stop());
const ca = selfSigned.cert;

test('a lock over TLS, with waiting, by etcds: and by option "tls"', async () => {
  const urls = [server.url, server.url.replace('etcds', 'etcd')];
  for (const url of urls) {
    const locks = createLocks(await open({ url, tls: { ca } }));
    const lease = await locks.acquire('job');
    const next = locks.withLock('job', ({ token }) => token);
    await lease.release();
    expect(await next).toBeGreaterThan(lease.token);
    await locks.close();
  }
});

test('a function gives the options of TLS', async () => {
  const provider = await open({ url: server.url, tls: async () => ({ ca }) });
  expect((await provider.inspect('key')).holders).toEqual([]);
});

test('what the two sides do not agree on is refused at start', async () => {
  const unknown = await refusal({ url: server.url });
  expect(unknown).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  expect(unknown.message).toMatch(/the TLS connection to .* was refused: .*certificate/);
  const plain = await refusal({ url: server.url.replace('etcds', 'etcd') });
  expect(plain.message).toMatch(/expects TLS; write etcds:\/\//);
  const secured = await refusal({ url: sharedServer().url.replace('etcd:', 'etcds:'), tls: { ca } });
  expect(secured.message).toMatch(/does not answer with TLS; write etcd:\/\//);
  const broken = await refusal({ url: server.url, tls: { ca, cert: 'no certificate' } });
  expect(broken).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
});

test('a client certificate that is missing, or not accepted, is refused at start; the right one is a user', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'locks-etcd-'));
  const file = join(folder, 'ca.pem');
  await writeFile(file, ca);
  const strict = await startEtcd({ tls: true, args: ['--client-cert-auth', '--trusted-ca-file', file] });
  const missing = await refusal({ url: strict.url, tls: { ca } });
  expect(missing).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  expect(missing.message).toMatch(/the TLS connection to .* was refused: .*certificate.*; check option "tls"/);
  const provider = await open({ url: strict.url, tls: { ca, ...selfSigned } });
  expect((await provider.inspect('key')).holders).toEqual([]);
  await strict.stop();
  await rm(folder, { recursive: true });
});
