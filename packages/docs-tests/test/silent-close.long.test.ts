import { createLocks } from '@locks/core';
import { expect, onTestFinished, test } from 'vitest';
import { proxied } from './support/proxied.ts';
import { startStore, storeNames } from './support/stores.ts';

test.each(storeNames.filter((name) => name !== 'sqlite'))(
  'close() of a %s that has fallen silent takes `closeTimeout`, for releases and connections together',
  async (name) => {
    const store = await startStore(name);
    onTestFinished(() => store.stop());
    const { url, proxies } = await proxied(store.url);
    const closeTimeout = 1_500;
    const locks = createLocks(await store.open(url), { closeProvider: true, closeTimeout });
    await locks.acquire('close');
    proxies[0]?.silence();
    const since = performance.now();
    await locks.close();
    expect(performance.now() - since).toBeLessThan(1.5 * closeTimeout);
  },
);
