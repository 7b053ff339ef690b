import { startRedis } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { createUser } from '../support/locks-program.ts';

const urlOf = (ports: readonly number[]): string => `redlock://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;

test('quorum change waits for a key that rests from one server to three, and refuses two steps in one', async () => {
  const servers = await Promise.all(Array.from({ length: 3 }, () => startRedis()));
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))));
  const ports = servers.map(({ port }) => port).toSorted((one, other) => one - other);
  const [one, two, three] = [1, 2, 3].map((count) => urlOf(ports.slice(0, count))) as [string, string, string];
  const user = createUser();
  const run = async (url: string): Promise<unknown> =>
    await user.locks('run', 'report', '--at-least', '1h', '--wait', '0', '--url', url, '--', 'echo', 'ran');
  const change = async (url: string, ...options: readonly string[]): Promise<unknown> =>
    await user.locks('quorum', 'change', '--url', url, ...options);
  expect(await run(one)).toMatchObject({ output: 'ran\n' });
  expect(await change(three)).toMatchObject({ code: 78, errors: expect.stringContaining('Add or remove one store') });
  expect(await change(two)).toMatchObject({ code: 0, output: expect.stringContaining('these 2 members') });
  expect(await run(two)).toMatchObject({ code: 75, output: '' });
  expect(await run(three)).toMatchObject({ code: 78, errors: expect.stringContaining('"locks quorum change"') });
  expect(await change(three)).toMatchObject({ code: 1, output: expect.stringMatching(/Nothing was changed.*report/s) });
  const forced = (await change(three, '--force', '--json')) as { readonly output: string };
  expect(JSON.parse(forced.output)).toEqual({ done: true, left: [] });
  expect(await user.locks('quorum', 'change', '--url', `redis://127.0.0.1:${ports[0]}`)).toMatchObject({ code: 64 });
});
