import { openLocks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { createUser, locksOf } from '../support/locks-program.ts';
import { ctrlC, openTerminal } from '../support/terminal.ts';

interface Change {
  readonly key: string;
  readonly holders: readonly { readonly owner: string; readonly token: string }[];
}

test('watch writes a line for each change into a pipe', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  const lease = await locks.acquire('jobs/a');
  await locks.acquire('other');
  const watcher = user.start(['watch', 'jobs/', '--json', '--interval', '100ms']);
  const changes = (): readonly Change[] =>
    watcher
      .written()
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Change);
  const holder = expect.objectContaining({ owner: lease.owner, token: String(lease.token) });
  await expect.poll(changes).toEqual([expect.objectContaining({ key: 'jobs/a', holders: [holder] })]);
  await lease.release();
  await expect.poll(changes).toEqual([expect.anything(), expect.objectContaining({ key: 'jobs/a', holders: [] })]);
  watcher.process.kill('SIGTERM');
  expect((await watcher.ended).code).toBe(143);
});

test('watch tells how a job runs, and what became of it', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  const watcher = user.start(['watch', 'rep', '--interval', '100ms']);
  await locks.once('report', 'ever', async ({ owner }) => {
    const begun = `job report\trunning, slot ever by ${owner}\tnothing waits\n`;
    await expect.poll(watcher.written).toBe(begun);
  });
  await expect.poll(watcher.written).toMatch(/\njob report\tdone, slot ever\tnothing waits\n$/);
  watcher.process.kill('SIGTERM');
  await watcher.ended;
});

test('watch ends with its reader', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  const watcher = user.start(['watch', '--interval', '50ms']);
  await locks.acquire('first');
  await expect.poll(watcher.written).toContain('first');
  watcher.process.stdout?.destroy();
  await locks.acquire('second');
  expect((await watcher.ended).code).toBe(141);
});

test('watch shows a live table on a terminal, escaped, and gives the cursor back', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  await locks.acquire('a\u001B[31mb');
  const terminal = await openTerminal(user.home);
  // Each key has one line there, too.
  terminal.type('stty cols 60\n');
  await terminal.enter('$locks watch --interval 100ms', '1 held or waited for');
  await terminal.sees(String.raw`a\x1b[31mb`);
  await terminal.sees('web-1/');
  const lease = await locks.acquire('later');
  await terminal.sees('later');
  await locks.once('report', 'ever', async () => {
    await terminal.sees(/job report +web-1/);
  });
  const next = locks.acquire('later');
  await terminal.sees('waiter 1');
  await lease.release();
  await (await next).release();
  await terminal.sees('1 held or waited for');
  terminal.type(ctrlC);
  await terminal.sees('\u001B[?25h');
  await terminal.seesCode(130);
});

test('watch of 10 000 keys shows as many as fit, and looks at no more', async () => {
  await using server = await startRedis();
  const locks = await openLocks(server.url, { label: 'web-1' });
  const keys = Array.from({ length: 10_000 }, (_, index) => `key/${String(index).padStart(5, '0')}`);
  await Promise.all(keys.map(async (key) => await locks.acquire(key, { ttl: '10m' })));
  const terminal = await openTerminal(createUser().home);
  await terminal.enter(`$locks watch --interval 100ms --url ${server.url}`, '10000 held or waited for');
  await terminal.sees('key/00000');
  await terminal.sees(/and 99\d\d more/);
  await locks.acquire('a-new-one');
  await terminal.sees('a-new-one');
  terminal.type(ctrlC);
  await terminal.seesCode(130);
  await locks.close();
});
