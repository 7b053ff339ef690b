import { eventually, fourLetterWord, startZookeeper, type ServerHandle } from '@locks/test-servers';
import { createClient } from 'node-zookeeper-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConnectString } from '../../src/connection/address.ts';
import { create, sync } from '../../src/wire/requests.ts';
import { type Insides, called, connectOld } from '../support/old-client.ts';
import { Opened, makeNode, ownPath, valueOf } from '../support/sessions.ts';

let server: ServerHandle;

beforeAll(async () => {
  server = await startZookeeper({ tickTime: 500 });
});
afterAll(() => server.stop());

test('row 15: servers with IPv6 addresses, and TLS', async () => {
  const text = '[::1]:2182';
  const old = createClient(text) as unknown as Insides;
  expect(old.connectionManager.servers).toEqual([{ host: '[', port: expect.anything() as unknown }]);
  expect(readConnectString(text).addresses).toEqual([{ host: '::1', port: 2182 }]);

  await using secure = await startZookeeper({ tls: 'mutual' });
  await using opened = new Opened();
  const { host, port, ca, cert, key } = secure.tls;
  const session = await opened.sessions([{ host, port }], { tls: { ca, cert, key } }).ready(10_000);
  await makeNode(session, ownPath(), 'ephemeral');
});

test('row 16: what the protocol can do besides', async () => {
  await using opened = new Opened();
  using old = await connectOld([server]);
  for (const name of ['sync', 'createContainer', 'removeWatches', 'addWatch']) expect(name in old.client).toBe(false);

  const session = await opened.sessions([server]).ready(5_000);
  const acl = [{ scheme: 'world', id: 'anyone', permissions: 31 }];
  const made = await session.send(create({ path: ownPath(), data: Buffer.alloc(0), acl, kind: 'container' }));
  // "create2": the answer has the transaction that made it.
  const { path, stat } = valueOf(made);
  expect(stat.czxid).toBe(made.zxid);
  valueOf(await session.send(sync(path)));
  const listener = (): void => {};
  await session.watch(path, listener);
  expect(await fourLetterWord(server, 'wchp')).toContain(path);
  session.unwatch(path, listener);
  await eventually('no watch is left', async () => !(await fourLetterWord(server, 'wchp')).includes(path));
});

test('row 17: many that wait for one node', async () => {
  await using opened = new Opened();
  const warnings: string[] = [];
  const warn = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', warn);
  const session = await opened.sessions([server]).ready(5_000);
  const path = await makeNode(session, ownPath(), 'ephemeral');
  for (let listener = 0; listener < 100; listener += 1) {
    await session.watch(path, () => {});
    session.lost.addEventListener('abort', () => {});
  }
  expect(warnings).toEqual([]);

  using old = await connectOld([server]);
  for (let listener = 0; listener < 11; listener += 1)
    await called((callback) => old.client.getData(path, () => {}, callback));
  await eventually('it is warned of a leak', () => warnings.includes('MaxListenersExceededWarning'));
  process.off('warning', warn);
});
