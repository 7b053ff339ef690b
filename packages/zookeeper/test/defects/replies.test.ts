import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually, startProxy, startZookeeper, type ProxyOptions, type ServerHandle } from '@locks/test-servers';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { exists, getData, setData } from '../../src/wire/requests.ts';
import { believesConnected, called, connectOld } from '../support/old-client.ts';
import { openConnection } from '../support/open.ts';
import { rewriteReplies, withError } from '../support/rewrite.ts';
import { Opened, makeNode, ownPath, valueOf } from '../support/sessions.ts';

let server: ServerHandle;

beforeAll(async () => {
  server = await startZookeeper({ tickTime: 500, javaProperties: { 'jute.maxbuffer': '4194304' } });
});
afterAll(() => server.stop());

/** A process with the old client, which asks on each message. What it tells is in `told`. */
async function startOld(address: string): Promise<{ child: ChildProcess; told: string[]; errors: () => string }> {
  const file = fileURLToPath(new URL('../fixtures/old-client.mjs', import.meta.url));
  const child = fork(file, [address], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const told: string[] = [];
  let errors = '';
  child.on('message', (message) => told.push(message as string));
  child.stderr?.on('data', (text: Buffer) => (errors += text.toString()));
  await eventually('it is connected', () => told.length > 0);
  return { child, told, errors: () => errors };
}

test('row 4: the connection is cut within a reply', async () => {
  await using oldProxy = await startProxy(server);
  await using proxy = await startProxy(server);
  await using opened = new Opened();
  const old = await startOld(`127.0.0.1:${oldProxy.port}`);
  const sessions = opened.sessions([proxy]);
  const session = await sessions.ready(5_000);
  const oldCut = oldProxy.cutMidFrame('replies');
  old.child.send('ask');
  await oldCut.sprung;
  // A heartbeat, or this request: the session goes on after either.
  const cut = proxy.cutMidFrame('replies');
  session.send(exists('/')).catch(() => {});
  await cut.sprung;
  await eventually('the new session is connected again', () => session.connected);
  const since = performance.now();
  await eventually('twice the timeout is over', () => performance.now() - since > 6_000);
  // It reads the next answers from the middle, which some do not survive.
  expect(old.told).toEqual(['connected', 'CONNECTION_LOSS[-4]']);
  expect(session.connected).toBe(true);
});

test('row 10: an error code that the client does not know', async () => {
  const unknown = rewriteReplies((reply) => (reply.xid > 0 ? withError(reply, -127) : reply.frame));
  await using proxy = await startProxy(server, unknown);
  const old = await startOld(`127.0.0.1:${proxy.port}`);
  // The first has the number 0, as the answer to the connect request.
  old.child.send('ask');
  await eventually('it is answered', () => old.told.length === 2);
  old.child.send('ask');
  const [code] = (await once(old.child, 'close')) as [number];
  expect(code).not.toBe(0);
  expect(old.errors()).toContain('Unknown code: -127');

  await using opened = new Opened();
  const session = await opened.sessions([proxy]).ready(5_000);
  expect(await session.send(exists('/'))).toMatchObject({ ok: false, error: 'THROTTLED', code: -127 });
  expect(session.connected).toBe(true);
});

test('row 14: more requests than there are numbers for', async () => {
  using old = await connectOld([server]);
  old.insides.xid = 2 ** 31 - 1;
  old.client.exists('/', () => {});
  expect(() => old.client.exists('/', () => {})).toThrow(RangeError);

  const { connection } = await openConnection({ address: server, firstXid: 2 ** 31 - 1 });
  for (let request = 0; request < 3; request += 1) valueOf(await connection.send(exists('/')));
  await connection.end(1_000);
});

test('row 18: a reply to another request', async () => {
  let wrong = 0;
  const mixed = rewriteReplies(({ frame, xid }) => {
    if (xid > 0 && wrong > 0) {
      wrong -= 1;
      frame.writeInt32BE(xid + 1_000, 4);
    }
    return frame;
  });
  await using proxy = await startProxy(server, mixed);
  await using opened = new Opened();
  using old = await connectOld([proxy]);
  let oldAnswered = false;
  await called((callback) => old.client.exists('/', callback));
  wrong = 1;
  old.client.exists('/', () => (oldAnswered = true));
  await eventually('it has connected again', () => old.connects === 2);
  await called((callback) => old.client.exists('/', callback));
  expect(oldAnswered).toBe(false);

  const session = await opened.sessions([proxy]).ready(5_000);
  wrong = 1;
  await expect(session.send(exists('/'))).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  await eventually('it has connected again', () => session.connected);
  valueOf(await session.send(exists('/')));
});

test('row 19: what a reply of 1 MB in pieces costs', async () => {
  await using opened = new Opened();
  const size = 1_000_000;
  const session = await opened.sessions([server]).ready(5_000);
  const path = await makeNode(session, ownPath(), 'persistent');
  valueOf(await session.send(setData(path, Buffer.alloc(size))));
  using old = await connectOld([server]);
  const concat = vi.spyOn(Buffer, 'concat');
  const copied = (): number => concat.mock.calls.reduce((sum, [, total = 0]) => sum + total, 0);
  await called((callback) => old.client.getData(path, callback));
  expect(copied()).toBeGreaterThan(3 * size);
  concat.mockClear();
  expect(valueOf(await session.send(getData(path))).data).toHaveLength(size);
  expect(copied()).toBe(0);
  concat.mockRestore();
});

test('row 20: the server does not take the watches after a reconnect', async () => {
  let refusals = 0;
  let asked: number | undefined;
  const { rewrite } = rewriteReplies((reply) => {
    if (reply.xid !== asked) return reply.frame;
    asked = undefined;
    refusals += 1;
    return refusals === 1 ? withError(reply, -4) : reply.frame;
  });
  const refusing: ProxyOptions = {
    rewrite(piece, way, connection) {
      const isSetWatches = way === 'requests' && piece.length >= 12 && piece.readInt32BE(8) === 101;
      if (isSetWatches) asked = piece.readInt32BE(4);
      return rewrite(piece, way, connection);
    },
  };
  await using proxy = await startProxy(server, refusing);
  await using opened = new Opened();
  const observer = await opened.sessions([server]).ready(5_000);
  const path = await makeNode(observer, ownPath(), 'persistent');
  {
    using old = await connectOld([proxy]);
    await called((callback) => old.client.getData(path, () => {}, callback));
    await proxy.cut();
    await eventually('the watches were refused', () => refusals === 1);
    await called((callback) => old.client.exists('/', callback));
    // It does not mind.
    expect(old.connects).toBe(2);
  }
  refusals = 0;
  const session = await opened.sessions([proxy]).ready(5_000);
  let told = 0;
  await session.watch(path, () => (told += 1));
  await proxy.cut();
  await eventually('the watches were refused, and then not', () => refusals === 2 && session.connected);
  valueOf(await observer.send(setData(path, Buffer.from('news'))));
  await eventually('it is told', () => told === 1);
});

test('row 23: a reply of an impossible length', async () => {
  let length: number | undefined;
  let oldReached = false;
  const lying = (lied: () => void): ReturnType<typeof rewriteReplies> =>
    rewriteReplies(({ frame, xid }) => {
      if (xid <= 0 || length === undefined) return frame;
      frame.writeInt32BE(length, 0);
      lied();
      return frame;
    });
  await using oldProxy = await startProxy(
    server,
    lying(() => (oldReached = true)),
  );
  await using proxy = await startProxy(
    server,
    lying(() => {}),
  );
  await using opened = new Opened();
  using old = await connectOld([oldProxy]);
  const session = await opened.sessions([proxy]).ready(5_000);
  let oldAnswered = false;
  await called((callback) => old.client.exists('/', callback));
  length = 2 ** 31 - 1;
  old.client.exists('/', () => (oldAnswered = true));
  await expect(session.send(exists('/'))).rejects.toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    cause: { cause: { name: 'ProtocolError' } },
  });
  await eventually('the old client has its reply, too', () => oldReached);
  length = undefined;
  await eventually('it has connected again', () => session.connected);
  // It waits for two gigabytes, and goes on to believe in the connection.
  old.client.exists('/', () => (oldAnswered = true));
  const since = performance.now();
  await eventually('twice the timeout is over', () => performance.now() - since > 6_000);
  expect(oldAnswered).toBe(false);
  expect(old.state).toBe(believesConnected);
});
