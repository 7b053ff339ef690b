import { createLocks } from '@locks/core';
import { expect, onTestFinished, test } from 'vitest';
import { proxyOf } from './storm/setting.ts';
import { startStore, storeNames } from './support/stores.ts';

test.each(storeNames.filter((name) => name !== 'sqlite'))(
  'close() of a %s that has fallen silent takes `closeTimeout`, for releases and connections together',
  async (name) => {
    const store = await startStore(name);
    onTestFinished(() => store.stop());
    const proxy = await proxyOf(store.url);
    const closeTimeout = 1_500;
    const locks = createLocks(await store.open(proxy.url(store.url)), { closeProvider: true, closeTimeout });
    await locks.acquire('close');
    proxy.silence();
    const since = performance.now();
    await locks.close();
    expect(performance.now() - since).toBeLessThan(1.5 * closeTimeout);
  },
);
