import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMariadb, startPostgres, startRedis, startZookeeper } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { figures, startDemo } from './start-demo.ts';
import type { RunningDemo } from './start-demo.ts';

interface StartedDemo extends RunningDemo {
  /** Where it puts its temporary files: nobody else does. */
  readonly temporary: string;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'locks-demo-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function start(...args: readonly string[]): StartedDemo {
  const temporary = makeFolder();
  const demo = startDemo(args, temporary);
  onTestFinished(() => void demo.process.kill('SIGKILL'));
  return { ...demo, temporary };
}

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly args: string;
}

/** The processes that run. A dead one that nobody has waited for yet still has an entry, with state Z. */
function runningProcesses(): readonly ProcessEntry[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' });
  return table.split('\n').flatMap((line) => {
    const [pid, parent, state = 'Z', ...args] = line.trim().split(/\s+/);
    return state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), args: args.join(' ') }];
  });
}

function workersOf(demo: RunningDemo): readonly number[] {
  const workers = runningProcesses().filter(
    ({ parent, args }) => parent === demo.process.pid && args.includes('worker-process'),
  );
  return workers.map(({ pid }) => pid);
}

function stillRunning(pids: readonly number[]): readonly number[] {
  return runningProcesses().flatMap(({ pid }) => (pids.includes(pid) ? [pid] : []));
}

async function workersAtWork(demo: RunningDemo, sign = 'without a lock  '): Promise<readonly number[]> {
  await vi.waitFor(() => expect(demo.output.text).toContain(sign), { timeout: 30_000, interval: 20 });
  return workersOf(demo);
}

/** Four processes, of which the third is killed while holding, after 3 of its 6 updates. */
async function expectExactBalance(...args: readonly string[]): Promise<string> {
  const demo = start('--workers', '4', '--updates', '6', ...args);
  const code = await demo.exitCode;
  const { text, errors } = demo.output;
  expect(errors).toBe('');
  expect(code).toBe(0);
  expect(text).toContain('worker 3 killed while holding');
  expect(text).toMatch(/the lock of worker 3 came free after [1-9]\d*\.\d\d s/);
  expect(text).toContain('a late write with the token of worker 3 is refused');
  expect(figures(text, 'updates made')).toEqual(['24', '21']);
  expect(figures(text, 'balance in the end')[1]).toBe('21');
  expect(figures(text, 'updates lost')[1]).toBe('0');
  expect(Number(figures(text, 'updates lost')[0])).toBeGreaterThan(0);
  expect(figures(text, 'most workers at it at once')[1]).toBe('1');
  expect(figures(text, 'tokens strictly increase')).toEqual(['-', 'yes']);
  expect(readdirSync(demo.temporary)).toEqual([]);
  return text;
}

describe('four processes, one killed while holding: the balance is exact', () => {
  test('without a server', async () => {
    expect(await expectExactBalance()).toContain('The lock is in a SQLite file of this demo: no server.');
  });

  test('in a SQLite file that is there after it', async () => {
    const file = join(makeFolder(), 'our own locks.db');
    const url = `sqlite:${file}`;
    expect(await expectExactBalance('--url', url)).toContain('The lock is in a SQLite file.');
    expect(existsSync(file)).toBe(true);
    // The tables are there already.
    await expectExactBalance('--url', url);
  });

  describe.each([
    { name: 'Redis', start: startRedis },
    { name: 'Postgres', start: startPostgres },
    { name: 'MySQL or MariaDB', start: startMariadb },
    { name: 'ZooKeeper', start: startZookeeper, query: '?acl=open', end: 'with its session' },
  ])('on $name', ({ name, start: startServer, query = '', end = 'ttl 2.00 s' }) => {
    let server: ServerHandle | undefined;
    beforeAll(async () => {
      server = await startServer();
    });
    afterAll(() => server?.stop());

    test('by its URL', async () => {
      const text = await expectExactBalance('--url', `${server?.url}${query}`);
      expect(text).toContain(`The lock is in ${name}.`);
      expect(text).toContain(` s (${end}), for worker `);
    });
  });
});

describe('what becomes of the workers', () => {
  test('a worker that dies by itself fails the demo', async () => {
    const demo = start('--workers', '3', '--updates', '100');
    const [first, ...others] = await workersAtWork(demo);
    process.kill(first ?? 0, 'SIGKILL');
    expect(await demo.exitCode).toBe(1);
    expect(demo.output.errors).toMatch(/^Worker \d died unexpectedly \(SIGKILL\)\.\n$/);
    expect(others).toHaveLength(2);
    expect(stillRunning(others)).toEqual([]);
    expect(readdirSync(demo.temporary)).toEqual([]);
  });

  test.each(['without a lock  ', 'with a lock  '])(
    'an interrupt ends them, %j, and removes all files',
    async (sign) => {
      const demo = start('--workers', '3', '--updates', '80');
      const workers = await workersAtWork(demo, sign);
      expect(workers).toHaveLength(3);
      demo.process.kill('SIGINT');
      expect(await demo.exitCode).toBe(130);
      expect(demo.output.errors).toContain('Stopped');
      expect(stillRunning(workers)).toEqual([]);
      expect(readdirSync(demo.temporary)).toEqual([]);
    },
  );

  test('workers do not outlive a demo that is killed', async () => {
    const demo = start('--workers', '3', '--updates', '100');
    const workers = await workersAtWork(demo);
    expect(workers).toHaveLength(3);
    demo.process.kill('SIGKILL');
    await vi.waitFor(() => expect(stillRunning(workers)).toEqual([]), { timeout: 10_000, interval: 20 });
  });
});
