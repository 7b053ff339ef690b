import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { dial, flushed, linked, until } from './wire.ts';

test('hold lets nothing pass one way, and all of it in its order when it is ended', async () => {
  const { proxy, client, server } = await linked();
  const end = proxy.hold('replies');
  client.write('one ');
  await server.received('one ');
  client.write('two');
  await server.received('one two');
  expect(client.text).toBe('');
  end();
  await client.received('ONE TWO');
});

describe('delay', () => {
  test('holds back the way it is given, and keeps the order, also when it ends', async () => {
    const { proxy, client, server } = await linked();
    const end = proxy.delay(300, 'replies');
    const started = performance.now();
    client.write('a');
    await server.received('a');
    // The delay counts when the proxy reads the answer, which shows nowhere: half of it is plenty.
    await delay(150);
    expect(client.text).toBe('');
    end();
    client.write('b');
    await client.received('AB');
    expect(performance.now() - started).toBeGreaterThanOrEqual(299);
    const after = performance.now();
    client.write('c');
    await client.received('ABC');
    expect(performance.now() - after).toBeLessThan(299);
  });

  test('several add up, in both ways by default', async () => {
    const { proxy, client } = await linked();
    proxy.delay(60);
    proxy.delay(40, 'requests');
    const started = performance.now();
    client.write('a');
    await client.received('A');
    expect(performance.now() - started).toBeGreaterThanOrEqual(159);
  });

  test('is a latency and not a throughput: what follows closely is not delayed once more', async () => {
    // Without answers, as on a slow machine the first would come between the marks of `flushed`.
    const { proxy, client, server } = await linked(() => undefined);
    proxy.delay(300, 'requests');
    let lastWrite = 0;
    for (const letter of 'abcdefgh') {
      lastWrite = performance.now();
      client.write(letter);
      await flushed(client, server);
    }
    await server.received('abcdefgh');
    const took = performance.now() - lastWrite;
    expect(took).toBeGreaterThanOrEqual(299);
    expect(took).toBeLessThan(7 * 300);
  });
});

describe('silence', () => {
  test('of requests: nothing reaches the server, which is still heard', async () => {
    const { proxy, client, server } = await linked();
    const end = proxy.silence('requests');
    client.write('lost');
    await flushed(client, server);
    expect(server.text).toBe('');
    expect(client.closed).toBe(false);
    await end();
    await client.untilClosed();
    expect(client.text).toBe('<>');
    expect(server.text).toBe('');
  });

  test('of replies: the server gets all and its answers are lost', async () => {
    const { proxy, client, server } = await linked();
    const end = proxy.silence('replies');
    client.write('heard');
    await server.received('heard');
    await end();
    await client.untilClosed();
    expect(client.text).toBe('');
    const second = await dial(proxy);
    second.write('again');
    await second.received('AGAIN');
  });

  test('accepts new connections, and tells no client that the other side has gone', async () => {
    const { proxy, target, client, server } = await linked();
    const end = proxy.silence();
    const second = await dial(proxy);
    second.write('lost');
    await until('two connections', () => proxy.serverConnections === 2);
    client.socket.resetAndDestroy();
    await until('the client to be gone', () => proxy.clientConnections === 1);
    expect(proxy.serverConnections).toBe(2);
    expect(server.closed).toBe(false);
    await end();
    await server.untilClosed();
    await second.untilClosed();
    expect(second.text).toBe('');
    expect(target.port).not.toBe(proxy.port);
  });

  test('ended twice cuts once', async () => {
    const { proxy, client } = await linked();
    const end = proxy.silence();
    await end();
    await client.untilClosed();
    const second = await dial(proxy);
    await end();
    second.write('ask');
    await second.received('ASK');
  });
});

test('cut resets all connections, and new ones succeed', async () => {
  const { proxy, client, server } = await linked();
  const second = await dial(proxy);
  second.write('a');
  await second.received('A');
  await proxy.cut();
  expect(proxy.clientConnections + proxy.serverConnections).toBe(0);
  for (const end of [client, second, server]) {
    await end.untilClosed();
    expect(end.failure).toBe('ECONNRESET');
  }
  const third = await dial(proxy);
  third.write('b');
  await third.received('B');
});

test('strand silences the connections that exist, and not those to come', async () => {
  const { proxy, client, server } = await linked();
  proxy.strand();
  const second = await dial(proxy);
  client.write('lost');
  server.write('lost too');
  // As far as the proxy is concerned this comes after the others.
  second.write('ask');
  await second.received('ASK');
  second.write('again');
  await second.received('ASKAGAIN');
  client.socket.end();
  await proxy.cut();
  await client.untilClosed();
  await server.untilClosed();
  expect(client.text + server.text).toBe('');
  expect(server.ended).toBe(false);
});

test('stall holds back what goes over the connections that exist, and delivers it late', async () => {
  const { proxy, client, server } = await linked();
  const end = proxy.stall('requests');
  const other = proxy.stall();
  client.write('late');
  client.socket.end();
  const second = await dial(proxy);
  second.write('ask');
  await second.received('ASK');
  other();
  expect(server.text).toBe('');
  end();
  await server.received('late');
  await server.untilEnded();
  const third = proxy.stall('replies');
  second.write('again');
  await proxy.pass();
  await second.received('ASKAGAIN');
  third();
});

test('refuse resets new connections and leaves the others', async () => {
  const { proxy, client } = await linked();
  const end = proxy.refuse();
  const refused = await dial(proxy);
  await refused.untilClosed();
  expect(refused.failure).toBe('ECONNRESET');
  client.write('a');
  await client.received('A');
  end();
  const accepted = await dial(proxy);
  accepted.write('b');
  await accepted.received('B');
});

describe('cutMidFrame', () => {
  test('lets half of the next request through, then everything is closed', async () => {
    const { proxy, client, server } = await linked();
    const trap = proxy.cutMidFrame('requests');
    client.write('12345678');
    await trap.sprung;
    await server.untilEnded();
    await client.untilClosed();
    expect(server.text).toBe('1234');
    expect(client.text).toBe('');
    const second = await dial(proxy);
    second.write('whole');
    await second.received('WHOLE');
  });

  test('lets so many bytes of the chosen reply through', async () => {
    const { proxy, client, server } = await linked();
    const trap = proxy.cutMidFrame('replies', { bytes: 2, when: (piece) => piece.includes('NOW') });
    client.write('not yet ');
    await client.received('NOT YET ');
    client.write('now or never');
    await trap.sprung;
    await client.untilEnded();
    await server.untilClosed();
    expect(client.text).toBe('NOT YET NO');
  });
});

test('a trap that is disarmed does not happen', async () => {
  const { proxy, client } = await linked();
  proxy.cutMidFrame('requests').disarm();
  proxy.dropReply().disarm();
  client.write('a');
  await client.received('A');
});

test('what was prepared does not happen after pass, and what was switched on has ended', async () => {
  const { proxy, client } = await linked();
  proxy.cutMidFrame('requests');
  proxy.dropReply();
  proxy.refuse();
  proxy.delay(60_000);
  await proxy.pass();
  client.write('a');
  await client.received('A');
  const second = await dial(proxy);
  second.write('b');
  await second.received('B');
  proxy.silence();
  await proxy.pass();
  await second.untilClosed();
});
