import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { expect, test } from 'vitest';
import { FrontendReader } from '../src/sql/frontend-messages.ts';
import type { Tally } from '../src/sql/frontend-messages.ts';
import { openTap } from '../src/measure/tap.ts';

/** Answers with what it is sent. */
async function startEcho(): Promise<{ server: Server; url: string }> {
  const server = createServer((socket) => socket.pipe(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `postgres://user:p%40ss@127.0.0.1:${(server.address() as AddressInfo).port}/base` };
}

test('all bytes go through in both ways, and what is said is counted', async () => {
  const { server, url } = await startEcho();
  {
    const tally: Tally = { connections: 0, statements: 0, roundTrips: 0 };
    await using tap = await openTap(url, () => new FrontendReader(tally));
    expect(tap.url).toMatch(/^postgres:\/\/user:p%40ss@127\.0\.0\.1:\d+\/base$/);
    expect(tap.url).not.toBe(url);
    const startup = Buffer.from([0, 0, 0, 8, 0, 3, 0, 0]);
    const query = Buffer.from([0x51, 0, 0, 0, 5, 0]);
    const sent = Buffer.concat([startup, query, query]);
    const client = connect(Number(new URL(tap.url).port), '127.0.0.1');
    client.write(sent);
    let received = Buffer.alloc(0);
    while (received.length < sent.length) {
      const [chunk] = (await once(client, 'data')) as [Buffer];
      received = Buffer.concat([received, chunk]);
    }
    expect(received).toEqual(sent);
    expect(tally).toEqual({ connections: 1, statements: 2, roundTrips: 3 });
    const closed = once(client, 'close');
    client.end();
    await closed;
  }
  server.close();
  // Closes only when the tap has let go of all connections.
  await once(server, 'close');
});

test('when the server ends a connection, so does the tap', async () => {
  const server = createServer((socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let told = 0;
  await using tap = await openTap(`postgres://127.0.0.1:${(server.address() as AddressInfo).port}/base`, () => ({
    read: () => (told += 1),
  }));
  const client = connect(Number(new URL(tap.url).port), '127.0.0.1');
  client.on('error', () => {});
  await once(client, 'close');
  expect(told).toBe(0);
  server.close();
});
