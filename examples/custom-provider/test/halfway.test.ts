import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Claim, Grant } from '@locks/core';
import { createFolderProvider } from '@locks/example-custom-provider';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let folder: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'locks-folder-'));
});

afterEach(async () => {
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  child = undefined;
  await rm(folder, { recursive: true });
});

function claimOf(owner: string, ttl = 60_000): Claim {
  return { key: 'report', owner: `test/${owner}`, ttl, mode: 'exclusive' };
}

/** Another process, which gets `signal` in the middle of its acquisition. */
function acquireHalfway(signal: 'SIGKILL' | 'SIGSTOP', when: 'before' | 'after', ttl?: number): ChildProcess {
  const script = new URL('support/halfway.mjs', import.meta.url);
  child = fork(script, [folder, signal, when, JSON.stringify(claimOf('halfway', ttl))], { execArgv: [] });
  return child;
}

async function killed(process: ChildProcess): Promise<void> {
  const [, signal] = (await once(process, 'exit')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
}

async function stopped({ pid }: ChildProcess): Promise<void> {
  await vi.waitFor(async () => expect(await readFile(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) T /), 20_000);
}

async function mustGrant(owner: string): Promise<Grant> {
  const answer = await (await createFolderProvider(folder)).tryAcquire(claimOf(owner));
  if (!answer.granted) throw new Error('expected a grant, got busy');
  return answer;
}

async function mustFree(owner: string): Promise<void> {
  expect(await (await createFolderProvider(folder)).release(claimOf(owner))).toBe(true);
}

/** The files of records, and the directories of keys. */
async function left(): Promise<readonly [records: number, keys: number]> {
  const [root = ''] = await readdir(folder);
  const names = await readdir(join(folder, root), { recursive: true });
  const records = names.filter((name) => name.includes('/') && !name.includes('/at '));
  return [records.length, names.filter((name) => !name.includes('/')).length];
}

test('a process killed before its record is in force holds nothing and blocks no other process', async () => {
  await mustGrant('first');
  await mustFree('first');
  await killed(acquireHalfway('SIGKILL', 'before'));
  expect(await left()).toEqual([2, 1]);

  await mustGrant('next');
  // What the dead process wrote is gone.
  expect(await left()).toEqual([1, 1]);
  await mustFree('next');
});

test('a process killed at the first use of a key blocks no other process', async () => {
  await killed(acquireHalfway('SIGKILL', 'before'));
  await mustGrant('next');
  await mustFree('next');
});

test.each(['a new key', 'a known key'])(
  'a process killed after its record is in force holds %s for its ttl',
  async (which) => {
    if (which === 'a known key') {
      await mustGrant('first');
      await mustFree('first');
    }
    await killed(acquireHalfway('SIGKILL', 'after', 3_000));
    const provider = await createFolderProvider(folder);
    expect(await provider.tryAcquire(claimOf('next'))).toMatchObject({ granted: false });
    const { holders } = await provider.inspect('report');
    expect(holders).toMatchObject([{ owner: 'test/halfway' }]);
    const token = holders[0]?.token ?? 0n;
    await vi.waitFor(async () => expect((await mustGrant('next')).token).toBeGreaterThan(token), 20_000);
    expect(await left()).toEqual([1, 1]);
  },
);

test('a process paused before its record is in force is busy when it goes on while another process holds', async () => {
  await mustGrant('first');
  await mustFree('first');
  const process = acquireHalfway('SIGSTOP', 'before');
  await stopped(process);
  const { token } = await mustGrant('other');

  process.kill('SIGCONT');
  const [answer] = (await once(process, 'message')) as [{ readonly granted: boolean }];
  expect(answer.granted).toBe(false);
  const { holders } = await (await createFolderProvider(folder)).inspect('report');
  expect(holders).toMatchObject([{ owner: 'test/other', token }]);
  await mustFree('other');
  expect(await left()).toEqual([1, 1]);
});

test('a process paused before its record is in force gets a later token than those that came meanwhile', async () => {
  const process = acquireHalfway('SIGSTOP', 'before');
  await stopped(process);
  const { token } = await mustGrant('other');
  await mustFree('other');

  // It starts again from what it sees now, and so stops once more before its second try.
  process.kill('SIGCONT');
  const answered = once(process, 'message');
  await stopped(process);
  process.kill('SIGCONT');
  const [answer] = (await answered) as [{ readonly granted: boolean; readonly token: string }];
  expect(answer.granted).toBe(true);
  expect(BigInt(answer.token)).toBeGreaterThan(token);
});
