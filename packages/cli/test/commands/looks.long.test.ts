import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createUser, locksOf, main } from '../support/locks-program.ts';

const strange = 'a\u001B[2Jb\nc\u202Ed';

test('ls lists keys by their beginning, one in each line, and escapes what a terminal would obey', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  for (const key of ['jobs/10', 'jobs/9', strange]) await locks.acquire(key);
  const shown = String.raw`a\x1b[2Jb\nc\u{202e}d`;
  expect(await user.locks('ls')).toMatchObject({ code: 0, output: `${shown}\njobs/9\njobs/10\n` });
  expect((await user.locks('ls', 'jobs/', '-l')).output).toBe(
    'jobs/9\theld\tnothing waits\njobs/10\theld\tnothing waits\n',
  );
  const lines = (await user.locks('ls', '--json')).output.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
    [strange, 'jobs/9', 'jobs/10'].map((key) => ({ key })),
  );
});

test('a key that looks like an option is one after --, for each command', async () => {
  const user = createUser();
  const inspect = `${process.execPath} ${main} inspect --json -- "$LOCKS_KEY"`;
  for (const key of ['--help', '-v', '--']) {
    const { code, output } = await user.locks('run', '-w', '0', '--', key, '--', 'sh', '-c', inspect);
    expect({ code, state: JSON.parse(output) as unknown }).toMatchObject({ code: 0, state: { key, holders: [{}] } });
  }
  const lease = await (await locksOf(user)).acquire('--yes');
  expect((await user.locks('break', '--yes', '--', '--yes')).output).toContain(lease.owner);
  expect((await user.locks('ls', '--', '--')).output).toBe('');
});

test('inspect shows holders and waiters, and tokens as text in JSON', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  const lease = await locks.acquire('key');
  const waiting = locks.acquire('key', { wait: 20_000 }).catch(() => {});
  const json = async (): Promise<unknown> =>
    JSON.parse((await user.locks('inspect', 'key', '--json')).output) as unknown;
  const holder = { owner: lease.owner, mode: 'exclusive', token: String(lease.token), remaining: expect.any(Number) };
  await expect.poll(json).toEqual({
    key: 'key',
    holders: [holder],
    waiters: 1,
    queue: [{ owner: expect.stringMatching(/^web-1\//), mode: 'exclusive' }],
  });
  const { output } = await user.locks('inspect', 'key');
  expect(output).toMatch(/^key: held, 1 waits\nOWNER +MODE +TOKEN +EXPIRES IN\n/);
  expect(output).toContain(lease.owner);
  expect(output).toMatch(/\nTURN +OWNER +MODE\n1 +web-1\//);
  await lease.release();
  await waiting;
  expect((await user.locks('inspect', 'free')).output).toBe('free: free, nothing waits\n');
});

test('inspect, ls and break know a job by its name, at work and when it is over', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  const slot = new Date('2021-11-29T03:00Z');
  const inspect = async (name: string): Promise<string> => (await user.locks('inspect', name)).output;
  await locks
    .once('jobs/report', slot, async ({ owner }) => {
      const running = await inspect('jobs/report');
      expect(running).toMatch(/^job jobs\/report: running, slot 2021-11-29T03:00Z, nothing waits\nJOB +STATE .*\n/);
      expect(running).toContain(owner);
      expect(await inspect('once/jobs%2Freport')).toMatch(/^job jobs\/report: running/);
      const { output } = await user.locks('inspect', 'jobs/report', '--json');
      expect(JSON.parse(output)).toMatchObject({
        job: 'jobs/report',
        state: 'running',
        key: 'once/jobs%2Freport',
        holders: [{ owner }],
      });
      for (const prefix of ['', 'jobs/', 'once/']) {
        expect((await user.locks('ls', prefix)).output).toBe('job jobs/report\n');
      }
      expect((await user.locks('ls', 'report')).output).toBe('');
      expect((await user.locks('ls', '-l')).output).toBe(
        'job jobs/report\trunning, slot 2021-11-29T03:00Z\tnothing waits\n',
      );
      expect(JSON.parse((await user.locks('ls', '--json')).output)).toEqual({
        key: 'once/jobs%2Freport',
        job: 'jobs/report',
      });
      expect(await user.locks('break', 'jobs/report', '--yes')).toMatchObject({
        code: 64,
        errors: expect.stringContaining('locks break once/jobs%2Freport'),
      });
      throw new Error('disk full \u001B[2J');
    })
    .catch(() => {});
  expect(await inspect('jobs/report')).toMatch(/^job jobs\/report: failed, [^]*\nerror: disk full \\x1b\[2J\n$/);
  expect((await user.locks('break', 'jobs/report', '--yes')).output).toBe('jobs/report is not held.\n');
  // A lock may have the same name.
  await locks.acquire('jobs/report');
  expect(await inspect('jobs/report')).toMatch(/^job jobs\/report: failed, [^]*\njobs\/report: held, nothing waits\n/);
  // And a lock may have a key that is none of a job.
  await locks.acquire('once/100%');
  expect(await inspect('once/100%')).toMatch(/^once\/100%: held/);
});

test('inspect and ls show the number of permits of each sharer', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  for (const permits of [1, 3]) await locks.acquire('exports', { mode: 'shared', permits });
  expect((await user.locks('inspect', 'exports')).output).toMatch(/ shared of 1 [^]* shared of 3 /);
  const { output } = await user.locks('ls', '--long', '--json');
  expect(JSON.parse(output)).toMatchObject({ key: 'exports', holders: [{ permits: 1 }, { permits: 3 }] });
});

/** What a terminal obeys, or what changes the direction of writing. */
const obeyed = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/u;

test('no line of JSON has a character that a terminal obeys, and programs read the key as it is', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  const key = 'a\u007F\u009B2J\u202E\u2028\u{E0041}😀';
  await locks.acquire(key);
  const { output } = await user.locks('ls', '--json');
  expect(output).not.toMatch(obeyed);
  expect(output).toContain('😀');
  expect(JSON.parse(output)).toEqual({ key });
});

test('what a server says, and an option that is wrong, does not reach the terminal as a command', async () => {
  const text = 'ERR \u001B[2J\u001B]0;owned\u0007 \u009B31m \u202E bad';
  const server = createServer((socket) => {
    socket.on('error', () => {});
    // One answer to each command.
    socket.on('data', (data) => socket.write(`-${text}\r\n`.repeat(data.toString().split(/^\*\d+\r$/m).length - 1)));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const user = createUser();
  for (const args of [['ls'], ['run', 'key', '--wait', '0', '--', 'true'], ['doctor'], ['check'], ['ls', '--json']]) {
    const { output, errors } = await user.start([...args], { env: { LOCKS_URL: url } }).ended;
    expect(errors + output).toContain('owned');
    expect(errors + output).not.toMatch(obeyed);
  }
  expect((await user.locks('ls', '--\u001B[2J')).errors).toContain(String.raw`--\x1b[2J`);
});

test('a store that is out of reach is 69 for each command', async () => {
  const user = createUser();
  for (const args of [['ls'], ['inspect', 'key'], ['break', 'key', '--yes'], ['watch']]) {
    const { code, errors } = await user.locks(...args, '--url', 'redis://:secret@127.0.0.1:1');
    expect({ args, code }).toEqual({ args, code: 69 });
    expect(errors).toMatch(/redis:\/\/127.0.0.1:1 cannot be reached.*ECONNREFUSED/s);
    expect(errors).not.toContain('secret');
  }
});

test('break asks for --yes where there is no terminal, ends the lease, and tells its token', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  const lease = await locks.acquire('key');
  expect(await user.locks('break', 'key')).toMatchObject({ code: 64, errors: expect.stringContaining('Add --yes') });
  expect(await user.locks('break', 'key', '--yes', '--owner', 'another')).toMatchObject({
    code: 64,
    errors: expect.stringContaining(`It is held by ${lease.owner}`),
  });
  const { code, output } = await user.locks('break', 'key', '--yes');
  expect(code).toBe(0);
  expect(output).toContain(`Ended the lease of ${lease.owner}. Its fencing token is ${lease.token}`);
  expect(await user.locks('break', 'key', '--yes')).toMatchObject({ code: 0, output: 'key is not held.\n' });
});
