import { describe, expect, it } from 'vitest';
import { openLocks } from '../../../src/index.ts';
import { createFreeSetting, createSetting, watch } from '../../support/setting.ts';

describe('closeProvider', () => {
  it.each([
    [undefined, 0],
    [false, 0],
    [true, 1],
  ])('%s: close closes the provider %d times', async (closeProvider, times) => {
    const { provider, locks } = createFreeSetting({ closeProvider });
    await locks.close();
    await locks.close();
    expect(provider.closed).toBe(times);
  });

  it('closes the provider after the leases were released', async () => {
    const { provider, locks } = createFreeSetting({ closeProvider: true });
    await locks.acquire('key');
    provider.closing = async () => expect(provider.releases.map(({ settled }) => settled)).toEqual([true]);
    await locks.close();
    expect(provider.closed).toBe(1);
  });

  it('must be true or false', () => {
    expect(() => createFreeSetting({ closeProvider: 'yes' as never })).toThrow(
      'Locks options: option "closeProvider" must be true or false, not "yes".',
    );
  });

  it('is what openLocks does', async () => {
    const { provider, runtime } = createSetting();
    const locks = await openLocks({ provider: { fromConfig: () => provider }, runtime });
    await locks.close();
    expect(provider.closed).toBe(1);
  });

  it.each<[string, () => Promise<void>]>([
    ['rejects', () => Promise.reject(new Error('socket hang up'))],
    [
      'throws',
      () => {
        throw new Error('socket hang up');
      },
    ],
  ])('does not make close reject when the close of the provider %s', async (_, fail) => {
    const { provider, locks } = createFreeSetting({ closeProvider: true });
    provider.closing = fail;
    await expect(locks.close()).resolves.toBeUndefined();
  });

  it('keeps no caller waiting when the close of the provider is silent', async () => {
    const { runtime, provider, locks } = createFreeSetting({ closeProvider: true, closeTimeout: 300 });
    provider.closing = () => new Promise(() => {});
    const closing = watch(locks.close());
    await runtime.advance(300);
    expect(closing.state).toBe('fulfilled');
    expect(runtime.pendingTimers).toBe(0);
  });
});
