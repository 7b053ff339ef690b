import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { countIn } from './support/descriptors.ts';
import { ownFile, party } from './support/own.ts';

test.runIf(process.platform === 'linux')('close() closes the files at once, however often', async () => {
  const folder = join(ownFile().folder, 'own');
  mkdirSync(folder);
  for (let round = 0; round < 50; round += 1) {
    const { provider, locks } = await party({ url: `sqlite:${join(folder, 'locks.db')}` }, { migrate: true });
    const lease = await locks.acquire('job');
    const waiting = locks.withLock('job', () => {});
    await eventually('a waiter', async () => (await locks.inspect('job')).waiters === 1);
    expect(countIn(folder)).toBeGreaterThan(0);
    await lease.release();
    await waiting;
    await locks.close();
    await provider.close();
    expect(countIn(folder)).toBe(0);
  }
  // The last one to close a file takes its log away.
  expect(readdirSync(folder)).toEqual(['locks.db']);
});
