import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openLocks } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { opened } from './over.ts';

const killer = fileURLToPath(new URL('kill-clients.mjs', import.meta.url));

/** What a process connects to. */
export interface Deployed {
  readonly ports: readonly number[];
  readonly url: string;
  stop(): Promise<void>;
}

const calls: Readonly<Record<string, (locks: Locks, lease: Lease) => Promise<unknown>>> = {
  tryAcquire: async (locks) => (await locks.tryAcquire('job'))?.held,
  tryWithLock: async (locks) => (await locks.tryWithLock('job', () => 1)).held,
  once: async (locks) => (await locks.once('job', 'ever', () => 1)).held,
  inspect: async (locks) => (await locks.inspect('job')).holders.length === 0,
  release: (_locks, lease) => lease.release(),
};

/** The first calls of a process whose connections were ended while it stood still. */
export function testStoodStill(start: () => Promise<Deployed>): void {
  let deployed: Deployed;
  beforeAll(async () => void (deployed = await start()));
  afterAll(() => deployed.stop());

  test.each(Object.entries(calls))('its first call goes over the next one: %s', async (name, call) => {
    const { ports, url } = deployed;
    const locks = await opened(openLocks({ url, options: { prefix: `first-${name.length}:` } }));
    const lease = await locks.acquire('held');
    execFileSync(process.execPath, [killer, ...ports.map(String)]);
    expect(await call(locks, lease)).toBe(true);
  });

  test('calls of one tick go in their order', async () => {
    const { ports, url } = deployed;
    const locks = await opened(openLocks(url));
    const lease = await locks.acquire('in order');
    execFileSync(process.execPath, [killer, ...ports.map(String)]);
    const [freed, next] = await Promise.all([lease.release(), locks.tryAcquire('in order')]);
    expect([freed, next?.held]).toEqual([true, true]);
  });

  test.each(Object.entries(calls))('a call while the client connects again: %s', async (name, call) => {
    const { ports, url } = deployed;
    const locks = await opened(openLocks({ url, options: { prefix: `later-${name.length}:` } }));
    const lease = await locks.acquire('held');
    execFileSync(process.execPath, [killer, ...ports.map(String)]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await call(locks, lease)).toBe(true);
  });
}
