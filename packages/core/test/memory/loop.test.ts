import { describe, expect, test } from 'vitest';
import { createMemoryProvider } from '../../src/index.ts';

describe('a loop of awaited calls of the memory provider', () => {
  const provider = createMemoryProvider();
  const claim = { key: 'job', owner: 'me/1', ttl: 60_000, mode: 'exclusive' } as const;
  const calls = {
    'tryAcquire, granted': () => provider.tryAcquire(claim),
    'tryAcquire, busy': () => provider.tryAcquire({ ...claim, owner: 'me/2' }),
    'tryAcquire, refused': () =>
      provider.tryAcquire({ ...claim, key: 'shared', owner: 'me/3', mode: 'shared', permits: 2 }).catch(() => {}),
    renew: () => provider.renew(claim),
    'renew of what is not there': () => provider.renew({ ...claim, key: 'nothing' }),
    release: () => provider.release({ ...claim, owner: 'me/4' }),
    inspect: () => provider.inspect('job'),
    list: async () => {
      for await (const key of provider.list!('')) expect(key).not.toBe('');
    },
  };

  test.each(Object.keys(calls) as (keyof typeof calls)[])('lets timers run: %s', async (name) => {
    await provider.tryAcquire(claim);
    await provider.tryAcquire({ ...claim, key: 'shared', mode: 'shared', permits: 1 });
    let fired = false;
    setTimeout(() => (fired = true), 1);
    const end = performance.now() + 5_000;
    while (!fired && performance.now() < end) await calls[name]();
    expect(fired).toBe(true);
  });
});
