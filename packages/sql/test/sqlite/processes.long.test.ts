import { expect, test } from 'vitest';
import { ownFile, party } from './support/own.ts';
import { startWorker } from './support/worker.ts';

test('a process that is killed in the middle of a transaction leaves no trace of it, and holds up no client', async () => {
  const file = ownFile();
  const { locks } = await party(file);
  const lease = await locks.acquire('job');
  for (let round = 0; round < 5; round += 1) {
    const worker = await startWorker();
    const sql = `UPDATE "locks" SET record = '', version = ''; DELETE FROM "locks_layout"`;
    await worker.ask('write', { path: file.path, sql });
    const renewal = lease.renew();
    worker.kill('SIGKILL');
    await renewal;
  }
  const state = await locks.inspect('job');
  expect(state.holders).toMatchObject([{ owner: lease.owner, token: lease.token }]);
  expect(await lease.release()).toBe(true);
  expect(file.observer.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
});
