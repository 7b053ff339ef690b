import { eventually, untilAnswered } from '@locks/test-servers';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import type { Insides } from '../../src/clients/node-zookeeper-client/insides.ts';
import { multi } from '../../src/wire/multi.ts';
import { create, exists, getChildren, getData, remove, setData } from '../../src/wire/requests.ts';
import { clientSessions } from '../support/client-sessions.ts';
import { rewriteReplies, rewriteRepliesTo, withError } from '../support/rewrite.ts';
import type { Reply } from '../support/rewrite.ts';
import { isThere, makeNode, openAcl, openSession, ownPath, ownProxy, valueOf } from '../support/sessions.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 200, maxSessionTimeout: 60_000 });

function insidesOf(client: unknown): Insides {
  return (client as { readonly connectionManager: Insides }).connectionManager;
}

test('the version whose private parts are used', () => {
  const { version } = createRequire(import.meta.url)('node-zookeeper-client/package.json') as { version: string };
  expect(version).toBe('1.1.3');
});

test('rows 5, 6: what waits for an answer or an event when the session expires', async () => {
  const proxy = await ownProxy(server);
  const observer = await openSession([server]);
  const sessions = clientSessions([proxy], { sessionTimeout: 1_500 });
  const session = await sessions.ready(5_000);
  const path = await makeNode(session, ownPath(), 'ephemeral');
  const watched = await makeNode(observer, ownPath(), 'persistent');
  let told = 0;
  await session.watch(watched, () => (told += 1));
  const admit = proxy.refuse();
  const asked = session.send(exists('/')).then(
    () => 'answered',
    () => 'rejected',
  );
  await proxy.cut();
  await eventually('the server has ended it', async () => !(await isThere(observer, path)));
  expect(['answered', 'rejected']).toContain(await asked);
  await expect(session.send(exists('/'))).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  expect(session.lost.aborted).toBe(true);
  expect(told).toBe(1);
  admit();
  expect((await sessions.ready(10_000)).connected).toBe(true);
});

test('row 11: close() before there is a socket, and while there is no connection', async () => {
  const proxy = await ownProxy(server);
  const first = clientSessions([proxy]);
  const refused = first.ready(5_000).catch((error: unknown) => error);
  await first.close();
  expect(await refused).toMatchObject({ code: 'LOCK_CLOSED' });

  const second = clientSessions([proxy], { closeWithin: 200 });
  const session = await second.ready(5_000);
  const admit = proxy.refuse();
  await proxy.cut();
  await eventually('it has seen it', () => !session.connected);
  await second.close();
  admit();
  await eventually('it does not connect again', () => proxy.clientConnections === 0);
});

test('row 13: more watches than fit into one request', async () => {
  const proxy = await ownProxy(server);
  const observer = await openSession([server], { sessionTimeout: 20_000 });
  const session = await clientSessions([proxy], { sessionTimeout: 20_000 }).ready(5_000);
  const parent = await makeNode(observer, `${ownPath()}-${'long'.repeat(60)}`, 'persistent');
  const indexes = Array.from({ length: 4_500 }, (_, index) => index);
  const paths = await Promise.all(indexes.map((index) => makeNode(observer, `${parent}/${index}`, 'ephemeral')));
  let told = 0;
  const watched = await Promise.all(paths.map((path) => session.watch(path, () => (told += 1))));
  const set = watched.filter((state) => state === 'watching').length;
  expect(set).toBeGreaterThan(1_000);
  // The others look for themselves.
  expect(watched.filter((state) => state === 'refused')).toHaveLength(4_500 - set);
  await proxy.cut();
  await untilAnswered('it answers again', () => session.send(exists('/')));
  expect(session.alive).toBe(true);
  await Promise.all(paths.map((path) => observer.send(remove(path))));
  await eventually('all that are watched are told', () => told === set);
  expect(await session.watch(parent, () => {})).toBe('watching');
});

test('row 14: more requests than there are numbers for', async () => {
  let insides: Insides | undefined;
  const session = await clientSessions([server], {
    prepareClient: (client) => (insides = insidesOf(client)),
  }).ready(5_000);
  if (insides !== undefined) insides.xid = 2 ** 31 - 3;
  for (let request = 0; request < 10; request += 1) valueOf(await session.send(exists('/')));
});

test('row 17: many that wait for one node', async () => {
  const proxy = await ownProxy(server);
  const warnings: string[] = [];
  const warn = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', warn);
  const session = await clientSessions([proxy]).ready(5_000);
  const path = await makeNode(session, ownPath(), 'persistent');
  let told = 0;
  for (let listener = 0; listener < 100; listener += 1) await session.watch(path, () => (told += 1));
  for (let round = 0; round < 15; round += 1) {
    await proxy.cut();
    await untilAnswered('it answers again', () => session.send(exists('/')));
  }
  valueOf(await session.send(remove(path)));
  await eventually('all are told', () => told === 100);
  expect(warnings).toEqual([]);
  process.off('warning', warn);
});

test.each<readonly [string, (reply: Reply) => Buffer]>([
  ['row 10: an error code that the client does not know', (reply) => withError(reply, -127)],
  [
    'row 18: a reply to another request',
    ({ frame, xid }) => {
      frame.writeInt32BE(xid + 1_000, 4);
      return frame;
    },
  ],
])('%s ends the connection, not the process', async (_, change) => {
  let left = 0;
  const replies = rewriteReplies((reply) => {
    if (reply.xid <= 0 || left === 0) return reply.frame;
    left -= 1;
    return change(reply);
  });
  const proxy = await ownProxy(server, replies);
  const session = await clientSessions([proxy]).ready(5_000);
  left = 1;
  await eventually('the reply has come', () => left === 0);
  await untilAnswered('it answers again', () => session.send(exists('/')));
});

test('row 20: the server does not take the watches that the client sets again', async () => {
  let refusals = 0;
  const setWatches = 101;
  const refusing = rewriteRepliesTo(setWatches, (reply) => {
    refusals += 1;
    return withError(reply, -101);
  });
  const proxy = await ownProxy(server, refusing);
  const observer = await openSession([server]);
  const [first, second] = [
    await makeNode(observer, ownPath(), 'persistent'),
    await makeNode(observer, ownPath(), 'persistent'),
  ];
  const session = await clientSessions([proxy]).ready(5_000);
  const told: string[] = [];
  await session.watch(first, () => told.push('first'));
  await session.watch(second, () => told.push('second'));
  const admit = proxy.refuse();
  await proxy.cut();
  await eventually('it has seen it', () => !session.connected);
  valueOf(await observer.send(setData(first, Buffer.from('missed'))));
  admit();
  await eventually('what was missed is told', () => told.includes('first'));
  await eventually('the watches were refused', () => refusals > 0 && session.connected);
  valueOf(await observer.send(setData(second, Buffer.from('news'))));
  await eventually('it is told', () => told.includes('second'));
});

test('version 0 is a version, in and out of transactions', async () => {
  const session = await clientSessions([server]).ready(5_000);
  const path = await makeNode(session, ownPath(), 'persistent');
  valueOf(await session.send(setData(path, Buffer.from('1'))));
  for (const type of ['check', 'remove', 'setData'] as const) {
    const operation =
      type === 'setData' ? { type, path, data: Buffer.from('2'), version: 0 } : { type, path, version: 0 };
    const { committed, results } = valueOf(await session.send(multi([operation])));
    expect({ committed, error: results[0] }, type).toMatchObject({ committed: false, error: { error: 'BAD_VERSION' } });
  }
  expect(await session.send(setData(path, Buffer.from('2'), 0))).toMatchObject({ ok: false, error: 'BAD_VERSION' });
  expect(valueOf(await session.send(multi([{ type: 'remove', path, version: 1 }]))).committed).toBe(true);
});

test('answers are those of our own transport', async () => {
  const own = await openSession([server]);
  const over = await clientSessions([server]).ready(5_000);
  const path = await makeNode(own, ownPath(), 'persistent');
  const made = await over.send(
    create({ path: `${path}/a-`, data: Buffer.from('x'), acl: openAcl, kind: 'ephemeral-sequential' }),
  );
  const value = valueOf(made);
  expect(value.stat).toEqual(valueOf(await own.send(exists(value.path))));
  expect(made.zxid).toBe(value.stat.czxid);
  for (const request of [
    getData(value.path),
    getChildren(path),
    exists(`${path}/none`),
    remove(path),
    create({ path: `${path}/..`, data: Buffer.alloc(0), acl: openAcl, kind: 'persistent' }),
  ]) {
    const [one, other] = [
      await own.send(request as ReturnType<typeof getData>),
      await over.send(request as ReturnType<typeof getData>),
    ];
    if (one.ok) expect(valueOf(other)).toEqual(one.value);
    else expect(other).toMatchObject({ ok: false, error: one.error, code: one.code });
  }
});
