import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createUser } from '../support/locks-program.ts';

test('tables creates, tells, prints and removes the tables of a SQL store', async () => {
  const user = createUser();
  const url = `sqlite:${join(user.home, 'own.db')}`;
  expect(await user.locks('tables', 'status', '--url', url)).toMatchObject({
    code: 1,
    output: expect.stringContaining('it does not exist'),
  });
  expect(await user.locks('tables', 'up', '--url', url)).toMatchObject({
    code: 0,
    output: 'The tables are up to date.\n',
  });
  expect(await user.locks('tables', 'status', '--url', url)).toMatchObject({ code: 0 });
  expect(await user.locks('tables', 'down', '--url', url)).toMatchObject({
    code: 64,
    errors: expect.stringContaining('Add --yes'),
  });
  expect(await user.locks('tables', 'down', '--url', url, '--yes')).toMatchObject({ code: 0 });
  expect(await user.locks('tables', 'status', '--url', url, '--json')).toMatchObject({
    code: 1,
    output: expect.stringContaining('"tables":"wrong"'),
  });
  expect((await user.locks('tables', 'up', '--print-sql', '--url', 'postgres://host/db')).output).toMatch(
    /CREATE TABLE/,
  );
  expect((await user.locks('tables', 'down', '--print-sql', '--url', 'mysql://host/db')).output).toMatch(/DROP TABLE/);
  expect(await user.locks('tables', 'up', '--url', 'redis://host')).toMatchObject({ code: 64 });
});

test('check tells what the suite finds: 0 clean, 2 where it could not be done', async () => {
  const user = createUser();
  const clean = await user.locks('check', '--only', 'exclusion-100-way');
  expect(clean).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^sqlite:.*\n1\/1 passed .*\n\npassed: 1 passed, 0 failed/s),
  });
  expect(await user.locks('check', '--only', 'exclusion-100-wai')).toMatchObject({
    code: 2,
    errors: expect.stringContaining('option "only" names "exclusion-100-wai"'),
  });
  expect(await user.locks('check', '--url', 'redis://127.0.0.1:1')).toMatchObject({ code: 2 });
  // A module that grants always.
  const broken = join(user.home, 'broken.mjs');
  writeFileSync(broken, brokenProvider);
  const config = join(user.home, 'broken.json');
  writeFileSync(config, JSON.stringify({ provider: broken }));
  expect(await user.locks('check', '--config', config, '--only', 'exclusion-100-way', '--json')).toMatchObject({
    code: 1,
    output: expect.stringMatching(/"status":"failed".*\n.*"verdict":"failed"/),
  });
});

const brokenProvider = `
const traits = { scope: 'host', expiry: 'ttl', fencing: 'none', fair: false, shared: false, wake: false };
export const fromConfig = () => ({
  name: 'broken',
  traits,
  tryAcquire: async () => ({ granted: true, token: 1n }),
  renew: async () => ({}),
  release: async () => true,
  inspect: async (key) => ({ key, holders: [], waiters: 0 }),
  close: async () => {},
});
`;

test('migrate status and wait tell who takes part, and whether all are in a phase', async () => {
  const user = createUser();
  const store = (name: string): string => `sqlite:${join(user.home, name)}?migrate=true`;
  const file = join(user.home, 'phase');
  writeFileSync(file, 'both');
  const stores = { from: store('a.db'), to: store('b.db') };
  const options = { name: 'move', ...stores, phase: `file:${file}`, label: 'web-1', presenceTtl: '1s' };
  const config = join(user.home, 'move.json');
  writeFileSync(config, JSON.stringify({ provider: 'migrate', options }));
  const command = ['key', '--ttl', '1h', '--', 'sh', '-c', 'echo started; sleep 60'];
  const holder = user.start(['run', '--config', config, ...command]);
  await expect.poll(holder.written).toContain('started');
  expect(await user.locks('--config', config, 'migrate', 'status', '--processes', '1')).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^move: from sqlite to sqlite\n.*web-1~\w+ +both +both.*both: all are in it/s),
  });
  const missing = await user.locks('--config', config, 'migrate', 'status', '--processes', '2', '--json');
  expect(missing.code).toBe(1);
  expect(JSON.parse(missing.output)).toMatchObject({
    obstacles: { both: [{ kind: 'processes', what: expect.stringContaining('not 2') }] },
  });
  const done = await user.locks('--config', config, 'migrate', 'wait', 'both', '--processes', '1', '--timeout', '5s');
  expect(done).toMatchObject({ code: 0, output: 'move: all in "both"\n' });
  const notYet = await user.locks('--config', config, 'migrate', 'wait', 'to', '--timeout', '0');
  expect(notYet).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^move: not yet, not in "to"\n {2}web-1~\w+ takes locks in "both"/),
  });
  // Its lease has an hour until the next renewal.
  writeFileSync(file, 'to');
  const mayGoOn = await user.locks('--config', config, 'migrate', 'wait', 'to', '--timeout', '8s');
  expect(mayGoOn).toMatchObject({
    code: 3,
    output: expect.stringMatching(/^move: may go on, all processes are in "to"\n {2}"key" is held in both stores/),
  });
  const plain = await user.start(['migrate', 'status'], { env: { LOCKS_CONFIG: '' }, cwd: '/' }).ended;
  expect(plain).toMatchObject({ code: 78, errors: expect.stringContaining('migrate') });
});
