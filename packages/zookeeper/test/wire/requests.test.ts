import type { NodeKind } from '../../src/wire/call.ts';
import { beforeEach, expect, test } from 'vitest';
import type { Connection } from '../../src/connection/connection.ts';
import type { Answer } from '../../src/wire/answer.ts';
import { failedStep, multi } from '../../src/wire/multi.ts';
import type { Request } from '../../src/wire/request.ts';
import { create, exists, getChildren, getData, remove, setData, sync } from '../../src/wire/requests.ts';
import { removeWatches } from '../../src/wire/session-requests.ts';
import { openConnection } from '../support/open.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer();
let connection: Connection;
let count = 0;
/** A node of the test's own, a container. */
let root: string;

const open = [{ scheme: 'world', id: 'anyone', permissions: 31 }];
const data = Buffer.from('data');

beforeEach(async () => {
  ({ connection } = await openConnection({ address: server }));
  count += 1;
  root = `/test-${count}`;
  await ok(create({ path: root, data, acl: open, kind: 'container' }));
  return () => connection.end(5_000);
});

async function ok<T>(request: Request<T>): Promise<T> {
  const answer = await connection.send(request);
  if (!answer.ok) throw new Error(`${request.what}: ${answer.error}`);
  return answer.value;
}

async function errorOf(request: Request<unknown>): Promise<string> {
  const answer: Answer<unknown> = await connection.send(request);
  return answer.ok ? 'ok' : answer.error;
}

function make(kind: NodeKind, name: string): ReturnType<typeof create> {
  return create({ path: `${root}/${name}`, data, acl: open, kind });
}

test('nodes of every kind are made, and answered with their path and Stat', async () => {
  const { id } = connection.session;
  for (const [kind, owner, path] of [
    ['persistent', 0n, `${root}/a`],
    ['ephemeral', id, `${root}/b`],
    ['ephemeral-sequential', id, `${root}/c-0000000002`],
    ['persistent-sequential', 0n, `${root}/d-0000000003`],
    // How ZooKeeper marks a container.
    ['container', -(2n ** 63n), `${root}/e`],
  ] as const) {
    const name = path.slice(root.length + 1).replace(/\d+$/, '');
    const made = await connection.send(make(kind, name));
    if (!made.ok) throw new Error(made.error);
    expect(made.value.path).toBe(path);
    const { stat } = made.value;
    expect(stat).toMatchObject({ version: 0, dataLength: 4, numChildren: 0, mzxid: stat.czxid, pzxid: stat.czxid });
    expect(stat.czxid).toBe(made.zxid);
    expect(connection.lastZxid).toBe(made.zxid);
    expect(stat.ctime).toBeGreaterThan(1_600_000_000_000n);
    const seen = await ok(exists(path));
    // A container's mark is not told by the creation.
    expect({ ...seen, ephemeralOwner: 0n }).toEqual({ ...stat, ephemeralOwner: 0n });
    if (kind === 'container') expect([owner, 0n]).toContain(seen.ephemeralOwner);
    else expect([stat.ephemeralOwner, seen.ephemeralOwner]).toEqual([owner, owner]);
  }
});

test('the names and the Stat of a list belong together', async () => {
  await ok(make('persistent', 'ä'));
  const last = await ok(make('persistent', 'b'));
  const { children, stat } = await ok(getChildren(root));
  expect([...children].toSorted()).toEqual(['b', 'ä']);
  expect(stat).toMatchObject({ numChildren: 2, cversion: 2, pzxid: last.stat.czxid });
});

test('data is read and set, by version', async () => {
  const { path } = await ok(make('persistent', 'a'));
  expect(await ok(getData(path))).toMatchObject({ data, stat: { version: 0 } });
  // 0 is a version, and not any.
  expect(await ok(setData(path, Buffer.alloc(0), 0))).toMatchObject({ version: 1, dataLength: 0 });
  expect(await errorOf(setData(path, data, 0))).toBe('BAD_VERSION');
  expect(await errorOf(remove(path, 0))).toBe('BAD_VERSION');
  expect((await ok(getData(path))).data).toEqual(Buffer.alloc(0));
  const big = Buffer.alloc(1_000_000, 'x');
  expect(await ok(setData(path, big))).toMatchObject({ version: 2, dataLength: 1_000_000 });
  expect((await ok(getData(path))).data.equals(big)).toBe(true);
  expect(await ok(remove(path, 2))).toBeUndefined();
  expect(await errorOf(exists(path))).toBe('NO_NODE');
});

test('what a server refuses is an answer', async () => {
  const { path } = await ok(make('ephemeral', 'a'));
  expect(
    await Promise.all(
      [
        make('ephemeral', 'a'),
        make('ephemeral', 'a/b'),
        make('ephemeral', 'x/b'),
        create({ path: `${root}/b`, data, acl: [], kind: 'persistent' }),
        create({ path: 'no-slash', data, acl: open, kind: 'persistent' }),
        remove(root),
        remove(`${root}/x`),
        getChildren(`${root}/x`),
        removeWatches(path),
      ].map((request) => errorOf(request)),
    ),
  ).toEqual([
    'NODE_EXISTS',
    'NO_CHILDREN_FOR_EPHEMERALS',
    'NO_NODE',
    'INVALID_ACL',
    'BAD_ARGUMENTS',
    'NOT_EMPTY',
    'NO_NODE',
    'NO_NODE',
    'NO_WATCHER',
  ]);
  const unknown = await connection.send({ ...sync('/'), op: 4_711, write: () => {}, read: () => {} });
  expect(unknown).toMatchObject({ ok: false, error: 'UNIMPLEMENTED' });
});

test('a transaction does all', async () => {
  const answer = await connection.send(
    multi([
      { type: 'check', path: root, version: 0 },
      { type: 'create', path: `${root}/a`, data, acl: open, kind: 'ephemeral-sequential' },
      { type: 'create', path: `${root}/c`, data, acl: open, kind: 'container' },
      { type: 'setData', path: root, data, version: 0 },
      { type: 'check', path: root, version: 1 },
      { type: 'setData', path: root, data },
      { type: 'remove', path: `${root}/c`, version: 0 },
    ]),
  );
  expect(answer).toMatchObject({
    value: {
      committed: true,
      results: [
        { ok: true },
        { ok: true, path: `${root}/a0000000000` },
        { ok: true, path: `${root}/c`, stat: { version: 0 } },
        { ok: true, stat: { version: 1 } },
        { ok: true },
        { ok: true, stat: { version: 2 } },
        { ok: true },
      ],
    },
  });
  const { czxid, ephemeralOwner } = await ok(exists(`${root}/a0000000000`));
  expect([czxid, ephemeralOwner]).toEqual([answer.zxid, connection.session.id]);
  expect((await ok(getChildren(root))).children).toEqual(['a0000000000']);
});

test('a transaction does nothing when one of its operations fails, and says which', async () => {
  const before = await ok(exists(root));
  const outcome = await ok(
    multi([
      { type: 'check', path: root },
      { type: 'create', path: `${root}/a`, data, acl: open, kind: 'ephemeral' },
      { type: 'setData', path: root, data, version: 7 },
      { type: 'remove', path: `${root}/a` },
      { type: 'check', path: root },
    ]),
  );
  expect(outcome).toEqual({
    committed: false,
    results: [
      { ok: false, error: 'UNDONE', code: 0 },
      { ok: false, error: 'UNDONE', code: 0 },
      { ok: false, error: 'BAD_VERSION', code: -103 },
      { ok: false, error: 'NOT_TRIED', code: -2 },
      { ok: false, error: 'NOT_TRIED', code: -2 },
    ],
  });
  expect(failedStep(outcome)).toEqual({ index: 2, error: 'BAD_VERSION', code: -103 });
  expect(await ok(exists(root))).toEqual(before);
  const version = await ok(multi([{ type: 'remove', path: root, version: 1 }]));
  expect(version).toMatchObject({ committed: false, results: [{ error: 'BAD_VERSION' }] });
});

test('a transaction of a check alone is a write that changes nothing', async () => {
  const { lastZxid } = connection;
  const before = await ok(exists(root));
  const answer = await connection.send(multi([{ type: 'check', path: root }]));
  expect(answer).toMatchObject({ ok: true, value: { committed: true, results: [{ ok: true }] } });
  expect(answer.zxid).toBe(lastZxid + 1n);
  expect(await ok(exists(root))).toEqual(before);
  const missing = await connection.send(multi([{ type: 'check', path: `${root}/x` }]));
  expect(missing).toMatchObject({ ok: true, value: { committed: false, results: [{ error: 'NO_NODE' }] } });
  expect(missing.zxid).toBe(lastZxid + 2n);
});
