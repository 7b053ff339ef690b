import { redisCommand, startRedis, startZookeeper, unusedPort } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { checkPlanted, doctor } from './support.ts';
import type { Planted } from './support.ts';

async function redis(): Promise<ServerHandle> {
  const server = await startRedis({ args: ['--appendonly', 'yes'] });
  onTestFinished(async () => await server.stop());
  return server;
}

const quorums: readonly Planted[] = [
  {
    what: 'two are the same server',
    async store() {
      const [first, second] = [await redis(), await redis()];
      return `redlock://127.0.0.1:${first.port},localhost:${first.port},127.0.0.1:${second.port}`;
    },
    found: ['problem locks', 'problem same-server'],
  },
  {
    what: 'one is down',
    async store() {
      const down = `redis://127.0.0.1:${await unusedPort()}?connectTimeout=1s`;
      return { provider: 'combine', options: { members: [(await redis()).url, (await redis()).url, down] } };
    },
    found: ['member 3 of 3 (redis) warning reach'],
  },
];
test.each(quorums)('doctor finds, of the members of a quorum, that $what', checkPlanted);

test('doctor finds nothing at a sound quorum', async () => {
  const ports = [(await redis()).port, (await redis()).port, (await redis()).port];
  const { bad, findings } = await doctor(`redlock://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`, '--strict');
  expect(bad).toEqual([]);
  expect(new Set(findings.map(({ store }) => store)).size).toBe(4);
});

test('doctor looks at the stores of a migration, and does not take part in it', async () => {
  const [from, ...others] = [await redis(), await redis(), await redis(), await redis()];
  const to = { provider: 'combine', options: { members: others.map(({ url }) => url) } };
  const options = { name: 'move', from: from.url, to, phase: 'from', label: 'web-1' };
  const { bad, findings, errors } = await doctor({ provider: 'migrate', options });
  expect({ bad, errors }).toEqual({ bad: [], errors: '' });
  expect([...new Set(findings.map(({ store }) => store))]).toEqual([
    'store "from" (redis)',
    ...[1, 2, 3].map((member) => `store "to" (combine), member ${member} of 3 (redis)`),
  ]);
  expect(await redisCommand(from, 'KEYS', '*')).toEqual([]);
});

test('doctor finds, on ZooKeeper, that sessions are shorter than they are to be', async () => {
  const server = await startZookeeper({ tickTime: 300, maxSessionTimeout: 6_000 });
  onTestFinished(async () => await server.stop());
  const store = async (): Promise<string> => server.url.replace('//', '//app:secret@');
  await checkPlanted({ store, found: ['warning session-timeout'] });
});
