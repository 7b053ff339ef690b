import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { eventually, startProxy, startZookeeper, type ServerHandle } from '@locks/test-servers';
import { ACL, CreateMode, Id, Permission } from 'node-zookeeper-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { create, getChildren, getData } from '../../src/wire/requests.ts';
import { acceptance } from '../support/fake-server.ts';
import { called, connectOld, openOld } from '../support/old-client.ts';
import { Opened, makeNode, ownPath, valueOf } from '../support/sessions.ts';

let server: ServerHandle;

beforeAll(async () => {
  server = await startZookeeper({ tickTime: 500 });
});
afterAll(() => server.stop());

test('row 8: the answer to the creation of a sequential node is lost', async () => {
  await using proxy = await startProxy(server);
  await using opened = new Opened();
  const observer = await opened.sessions([server]).ready(5_000);
  const oldParent = await makeNode(observer, ownPath(), 'persistent');
  const parent = await makeNode(observer, ownPath(), 'persistent');
  const children = async (path: string): Promise<number> =>
    valueOf(await observer.send(getChildren(path))).children.length;

  using old = await connectOld([proxy], { retries: 1 });
  proxy.dropReply({ when: (piece) => piece.includes(oldParent) });
  await called<string>((callback) => old.client.create(`${oldParent}/n-`, CreateMode.EPHEMERAL_SEQUENTIAL, callback));
  expect(await children(oldParent)).toBe(2);

  const session = await opened.sessions([proxy]).ready(5_000);
  proxy.dropReply({ when: (piece) => piece.includes(parent) });
  await expect(makeNode(session, `${parent}/n-`, 'ephemeral-sequential')).rejects.toMatchObject({
    code: 'LOCK_UNAVAILABLE',
  });
  await eventually('it is connected again', () => session.connected);
  expect(await children(parent)).toBe(1);
});

test('row 12: requests made while there is no connection, on nodes of their owner', async () => {
  await using proxy = await startProxy(server);
  await using opened = new Opened();
  const credentials = Buffer.from('someone:secret');
  using old = await connectOld([proxy]);
  old.client.addAuthInfo('digest', credentials);
  const own = [new ACL(Permission.ALL, new Id('auth', ''))];
  const path = await called<string>((callback) => old.client.create(ownPath(), own, callback));
  const sessions = opened.sessions([proxy], { auth: [{ scheme: 'digest', credentials }] });
  const session = await sessions.ready(5_000);
  valueOf(await session.send(getData(path)));

  const admit = proxy.refuse();
  await proxy.cut();
  await eventually('both have seen it', () => old.state === 'DISCONNECTED' && !session.connected);
  const asked = called((callback) => old.client.getData(path, callback));
  admit();
  await expect(asked).rejects.toThrow('NO_AUTH');
  valueOf(await (await sessions.ready(5_000)).send(getData(path)));
});

test('rows 13, 21: more watches than fit into one request, and a server that lets in and throws out', async () => {
  await using opened = new Opened();
  await using oldProxy = await startProxy(server);
  const observer = await opened.sessions([server], { sessionTimeout: 10_000 }).ready(5_000);
  const parent = await makeNode(observer, `${ownPath()}-${'long'.repeat(60)}`, 'persistent');
  const paths = await Promise.all(
    Array.from({ length: 4_500 }, (_, index) => makeNode(observer, `${parent}/${index}`, 'ephemeral')),
  );
  using old = await connectOld([oldProxy]);
  await Promise.all(paths.map((path) => called((callback) => old.client.getData(path, () => {}, callback))));
  await oldProxy.cut();
  // What this package's session does is in the tests of its watches: it is connected again at once.
  const since = performance.now();
  await eventually('it has connected in vain five times', () => old.connects > 5, 6 * 2_500);
  // On a slow machine each takes longer. With a pause between two it would be more.
  expect((performance.now() - since) / old.connects).toBeLessThan(2_500);
});

test('row 21: a server that begins a session and closes the connection', async () => {
  let begun = 0;
  const fake = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes) => {
      if (bytes.toString('latin1') === 'srvr') socket.end('Mode: standalone\n');
      else {
        begun += 1;
        socket.end(acceptance());
      }
    });
  });
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
  const address = { host: '127.0.0.1', port: (fake.address() as AddressInfo).port };
  await using opened = new Opened();
  const sessions = opened.sessions([address], { closeWithin: 10 });
  await sessions.ready(1_000).catch(() => {});
  const since = performance.now();
  const before = begun;
  await eventually('two seconds are over', () => performance.now() - since > 2_000);
  expect(begun - before).toBeLessThan(15);
  await sessions.close();

  using old = openOld([address]);
  begun = 0;
  old.client.connect();
  await eventually('it has connected a hundred times', () => begun > 100);
  fake.close();
});

test('row 22: who may do what with a new node', async () => {
  await using opened = new Opened();
  using old = await connectOld([server]);
  const path = await called<string>((callback) => old.client.create(ownPath(), callback));
  const [entry] = await called<ACL[]>((callback) => old.client.getACL(path, callback));
  expect(entry).toMatchObject({ id: { scheme: 'world', id: 'anyone' }, permission: Permission.ALL });

  const session = await opened.sessions([server]).ready(5_000);
  // @ts-expect-error There is no default: a node is made with the permissions that are named.
  expect(() => create({ path: ownPath(), data: Buffer.alloc(0), kind: 'persistent' }).write).not.toThrow();
  expect(
    await session.send(create({ path: ownPath(), data: Buffer.alloc(0), kind: 'persistent', acl: [] })),
  ).toMatchObject({
    ok: false,
    error: 'INVALID_ACL',
  });
});
