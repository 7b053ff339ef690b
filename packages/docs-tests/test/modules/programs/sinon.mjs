import assert from 'node:assert/strict';
import { createLocks, createMemoryProvider } from '@locks/core';
import sinon from 'sinon';

const clock = sinon.useFakeTimers();
const locks = createLocks(createMemoryProvider(), { ttl: 10_000 });
const lease = await locks.acquire('job', { renew: false });
const waiting = locks.acquire('job', { wait: 60_000 });
await clock.tickAsync(11_000);
assert.equal(lease.held, false);
const next = await waiting;
const refused = assert.rejects(locks.acquire('job', { wait: 25_000 }), { code: 'LOCK_TIMEOUT' });
await clock.tickAsync(26_000);
await refused;
assert.equal(next.held, true);
await locks.close();
clock.restore();
console.log('passed');
