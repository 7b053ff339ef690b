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

function claimOf(owner: string): Claim {
  return { key: 'report', owner, ttl: 60_000, mode: 'exclusive' };
}

/** Another process, which gets `signal` in the middle of its acquisition. */
function acquireHalfway(signal: 'SIGKILL' | 'SIGSTOP'): ChildProcess {
  const script = new URL('support/halfway.mjs', import.meta.url);
  child = fork(script, [folder, signal, JSON.stringify(claimOf('halfway'))], { execArgv: [] });
  return child;
}

async function holderFiles(): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => /\/holder-[^/]*$/.test(name));
}

async function stopped({ pid }: ChildProcess): Promise<void> {
  await vi.waitFor(async () => expect(await readFile(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) T /), 20_000);
}

async function mustGrant(owner: string): Promise<Grant> {
  const answer = await createFolderProvider(folder).tryAcquire(claimOf(owner));
  if (!answer.granted) throw new Error('expected a grant, got busy');
  return answer;
}

test('a process killed in the middle of an acquisition holds nothing, blocks no other process, and leaves nothing for long', async () => {
  const [, signal] = (await once(acquireHalfway('SIGKILL'), 'exit')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  expect(await holderFiles()).toHaveLength(1);

  await mustGrant('next');
  expect(await createFolderProvider(folder).release(claimOf('next'))).toBe(true);
  await mustGrant('last');
  expect(await createFolderProvider(folder).release(claimOf('last'))).toBe(true);
  expect(await holderFiles()).toEqual([]);
});

test('a process paused in the middle of an acquisition blocks no other process, and is busy when it goes on while another holds', async () => {
  const process = acquireHalfway('SIGSTOP');
  await stopped(process);
  const { token } = await mustGrant('other');

  process.kill('SIGCONT');
  const [answer] = (await once(process, 'message')) as [{ readonly granted: boolean }];
  expect(answer.granted).toBe(false);
  const { holders } = await createFolderProvider(folder).inspect('report');
  expect(holders).toMatchObject([{ owner: 'other', token }]);
  expect(await createFolderProvider(folder).release(claimOf('other'))).toBe(true);
  expect(await holderFiles()).toEqual([]);
});

test('a process paused in the middle of an acquisition gets a later token than those that came and went meanwhile', async () => {
  const process = acquireHalfway('SIGSTOP');
  await stopped(process);
  const { token } = await mustGrant('other');
  await createFolderProvider(folder).release(claimOf('other'));

  // It starts again from what it sees now, and so stops once more before its second try.
  process.kill('SIGCONT');
  const answered = once(process, 'message');
  await stopped(process);
  process.kill('SIGCONT');
  const [answer] = (await answered) as [{ readonly granted: boolean; readonly token: string }];
  expect(answer.granted).toBe(true);
  expect(BigInt(answer.token)).toBeGreaterThan(token);
});
