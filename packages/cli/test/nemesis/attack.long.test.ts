import { startRedis } from '@locks/test-servers';
import { afterAll, expect, test } from 'vitest';
import { createUser } from '../support/locks-program.ts';

const server = await startRedis();
afterAll(() => server.stop());

test('check --nemesis attacks a store through proxies of its own, and leaves nothing there', async () => {
  const user = createUser();
  const { code, output } = await user.locks('check', '--nemesis', '--seconds', '6', '--seed', '3', '--url', server.url);
  expect(output).toMatch(/seed 3\n1 rounds in .*, no violation\n.* grants/s);
  expect(code).toBe(0);
  expect(await user.locks('ls', '--url', server.url)).toMatchObject({ output: '' });
  expect(await user.locks('jobs', '--url', server.url)).not.toMatchObject({
    output: expect.stringContaining('nemesis-'),
  });
});

test('check --nemesis of a store that is not there could not be done', async () => {
  const user = createUser();
  const { code } = await user.locks('check', '--nemesis', '--url', 'redis://127.0.0.1:1');
  expect(code).toBe(2);
});
