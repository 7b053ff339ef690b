import { createLocks, subscribe } from '@locks/core';
import type { Locks } from '@locks/core';
import { eventually } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { proxied } from '../support/proxied.ts';
import { startStore } from '../support/stores.ts';

const day = 86_400_000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function opened(locks: Locks): Promise<Locks> {
  await (await locks.acquire('warm')).release();
  return locks;
}

/** `withdraw`: the answers of releases that a call left behind. */
function countWithdrawals(): () => number {
  let answers = 0;
  onTestFinished(subscribe('locks:withdraw', ({ error }) => void (answers += error === undefined ? 1 : 0)));
  return () => answers;
}

test.each(['redis', 'postgres', 'mariadb'] as const)(
  'requests that were lost on the way to %s cause few releases, and hold up no close',
  { timeout: 180_000 },
  async (name) => {
    const store = await startStore(name);
    onTestFinished(() => store.stop());
    const { url, proxies } = await proxied(store.url);
    const provider = await store.open(url);
    const locks = await opened(createLocks(provider, { closeProvider: true, ttl: day, closeTimeout: 20_000 }));
    const answered = countWithdrawals();

    const goOn = proxies[0]?.silence('requests');
    const lost = Array.from({ length: 200 }, (_, index) => locks.tryAcquire(`lost-${index}`).catch(() => {}));
    await pause(1_000);
    await goOn?.();
    await Promise.all(lost);
    await eventually('answers of the store', () => answered() > 0);

    // All were asked for, and are asked for ever more rarely.
    await pause(20_000);
    const before = answered();
    await pause(10_000);
    expect(answered() - before).toBeLessThan(450);

    const began = performance.now();
    await locks.close();
    expect(performance.now() - began).toBeLessThan(8_000);
  },
);
