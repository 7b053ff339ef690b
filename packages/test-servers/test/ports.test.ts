import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { PortTakenError, findFreePort, holdPort, startOnFreePort, unusedPort } from '../src/server/ports.ts';

test('ports lie below the range of outgoing connections', async () => {
  const port = await unusedPort();
  expect(port).toBeGreaterThanOrEqual(12_000);
  expect(port).toBeLessThan(32_000);
});

test('an unused port is not given to a server', async () => {
  const unused = await unusedPort();
  await expect(holdPort('127.0.0.1', unused)).rejects.toThrow(PortTakenError);
  const choices = [unused, unused, await findFreePort('127.0.0.1')];
  const [, , other] = choices;
  expect(await findFreePort('127.0.0.1', () => choices.shift() ?? 0)).toBe(other);
});

test('another port is tried when the first is taken in between', async () => {
  const tried: number[] = [];
  const server = createServer();
  const port = await startOnFreePort('127.0.0.1', async (free) => {
    tried.push(free);
    if (tried.length < 3) throw new PortTakenError('taken');
    server.listen(free, '127.0.0.1');
    await once(server, 'listening');
    return free;
  });
  expect(tried).toHaveLength(3);
  expect(port).toBe(tried[2]);
  server.close();
});

test('it gives up after five ports, and at once for another reason', async () => {
  let starts = 0;
  const taken = startOnFreePort('127.0.0.1', async () => {
    starts++;
    throw new PortTakenError('taken');
  });
  await expect(taken).rejects.toThrow('taken');
  expect(starts).toBe(5);
  const broken = startOnFreePort('127.0.0.1', async () => {
    starts++;
    throw new Error('broken');
  });
  await expect(broken).rejects.toThrow('broken');
  expect(starts).toBe(6);
});

test('a held port is passed over, though no process listens there', async () => {
  const [held, free] = [await findFreePort('127.0.0.1'), await findFreePort('127.0.0.1')];
  const letGo = await holdPort('127.0.0.1', held);
  const choices = [held, free];
  expect(await findFreePort('127.0.0.1', () => choices.shift() ?? 0)).toBe(free);
  await expect(holdPort('127.0.0.1', held)).rejects.toThrow(PortTakenError);
  letGo();
  expect(await findFreePort('127.0.0.1', () => held)).toBe(held);
});
