import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import { createLocks, createMemoryProvider } from '@locks/core';

for (const apis of [['setTimeout', 'Date'], undefined, ['setTimeout']]) {
  test(`waits end and ttls pass, with ${apis ?? 'all that can be mocked'}`, async ({ mock }) => {
    mock.timers.enable(apis && { apis });
    const advance = async (ms) => {
      for (let left = ms; left > 0; left -= 1_000) {
        mock.timers.tick(1_000);
        for (let turns = 0; turns < 5; turns += 1) await settled();
      }
    };
    const locks = createLocks(createMemoryProvider(), { ttl: 10_000 });
    const lease = await locks.acquire('job', { renew: false });
    const waiting = locks.acquire('job', { wait: 60_000 });
    await advance(15_000);
    assert.equal(lease.held, false);
    const next = await waiting;
    const refused = assert.rejects(locks.acquire('job', { wait: 25_000 }), { code: 'LOCK_TIMEOUT' });
    await advance(60_000);
    await refused;
    assert.equal(next.held, true);
    await locks.close();
  });
}
