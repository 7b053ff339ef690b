import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@locks/test-servers';
import { createLocks } from '@locks/core';
import { expect, onTestFinished, test } from 'vitest';
import { openProvider } from './support/file.ts';

/** What this process has open in `folder`. */
function openIn(folder: string): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      // That of the listing itself.
      return [];
    }
  });
}

test.runIf(process.platform === 'linux')('close() closes the files at once, however often', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'locks-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const url = `sqlite:${join(folder, 'locks.db')}`;
  for (let round = 0; round < 50; round += 1) {
    const provider = await openProvider({ url }, { migrate: true });
    const locks = createLocks(provider);
    const lease = await locks.acquire('job');
    const waiting = locks.withLock('job', () => {});
    await eventually('a waiter', async () => (await locks.inspect('job')).waiters === 1);
    expect(openIn(folder)).not.toEqual([]);
    await lease.release();
    await waiting;
    await locks.close();
    await provider.close();
    expect(openIn(folder)).toEqual([]);
  }
  // The last one to close a file takes its log away.
  expect(readdirSync(folder)).toEqual(['locks.db']);
});
