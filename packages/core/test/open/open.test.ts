import { describe, expect, it } from 'vitest';
import type { LocksConfig } from '../../src/index.ts';
import { scriptedAdapter } from '../support/scripted-adapter.ts';
import { misconfigured } from '../support/lock-error.ts';
import { open } from '../support/open.ts';

/** The ttl that a URL leads to. */
async function ttlOf(url: string, more: LocksConfig = {}): Promise<number | undefined> {
  const { module, runtime, ttl } = scriptedAdapter();
  return await ttl(await open({ ...more, provider: module, url, runtime }));
}

describe('openLocks', () => {
  it.each(['memory:', 'memory://', 'MEMORY:', 'memory:?waiterTtl=3s', ' memory:\n', 'memory:?'])(
    'opens %j',
    async (url) => {
      const locks = await open(url);
      expect(locks.name).toBe('memory');
      expect(await locks.withLock('key', () => 'done')).toBe('done');
    },
  );

  it('opens a provider by name', async () => {
    expect((await open({ provider: 'memory' })).name).toBe('memory');
    expect((await open({ provider: 'memory', options: { waiterTtl: '3s' } })).name).toBe('memory');
  });

  it('opens what an adapter module makes, now or later', async () => {
    const { provider, module } = scriptedAdapter();
    expect((await open({ provider: module })).name).toBe('scripted');
    expect((await open({ provider: { fromConfig: async () => provider } })).name).toBe('scripted');
  });

  it('gives the adapter its runtime', async () => {
    const { configs, module, runtime } = scriptedAdapter();
    await open({ provider: module, runtime });
    expect(configs[0]?.runtime).toBe(runtime);
    expect(configs[0]?.url).toBeUndefined();
  });

  it('takes options of Locks as a second argument, the strongest', async () => {
    const locks = await open('memory:?label=from-url&ttl=100', { label: 'from-code' });
    const lease = await locks.acquire('key');
    expect(lease.owner).toMatch(/^from-code\//);
    expect(lease.remaining).toBeLessThan(100);
  });

  it('takes them as stronger than a configuration too', async () => {
    const { module, runtime } = scriptedAdapter();
    const locks = await open({ provider: module, ttl: 100, label: 'config' }, { ttl: 200, runtime });
    expect(await locks.acquire('key')).toMatchObject({
      remaining: 200 - 2 - 2,
      owner: expect.stringMatching(/^config\//),
    });
  });

  it('does not let undefined hide what the URL says', async () => {
    expect(await ttlOf('x://host?ttl=100', { ttl: undefined })).toBe(100);
    const { configs, module } = scriptedAdapter();
    await open({ provider: module, url: 'x://host?prefix=a', options: { prefix: undefined } });
    expect(configs[0]?.options).toEqual({ prefix: 'a' });
  });
});

describe('the query of a URL', () => {
  it.each([
    ['reentrant', '1', 'true or false'],
    ['maxWaiters', '1e3', 'an integer from 1'],
    ['label', 'a b', '1 to 100 printable'],
  ])('is refused when an option of Locks is wrong: %s=%s', async (name, text, expected) => {
    await expect(open(`memory:?${name}=${encodeURIComponent(text)}`)).rejects.toMatchObject(
      misconfigured(`option "${name}" must be ${expected}`),
    );
  });

  it('is split: what Locks knows is its own, the rest is for the adapter', async () => {
    const { configs, provider, module, runtime } = scriptedAdapter();
    const url =
      'redis://user:pw@host:1/2?ttl=5s&wait=1s&renew=false&maxHold=1m&reentrant=true&maxWaiters=5&label=me&closeTimeout=1s&prefix=a%20b&toString=yes';
    const locks = await open({ provider: module, url, runtime });
    expect(configs).toEqual([
      { url: 'redis://user:pw@host:1/2', options: { prefix: 'a b', toString: 'yes' }, runtime },
    ]);
    const lease = await locks.acquire('key');
    expect(lease.owner).toMatch(/^me\//);
    expect(provider.attempts[0]?.claim.ttl).toBe(5_000);
  });

  it('is weaker than the options beside it', async () => {
    const { configs, module } = scriptedAdapter();
    await open({ provider: module, url: 'x://host?prefix=a&db=1', options: { prefix: 'b' } });
    expect(configs[0]?.options).toEqual({ prefix: 'b', db: '1' });
    expect(await ttlOf('x://host?ttl=5s', { ttl: 7_000 })).toBe(7_000);
  });
});

describe('requires in openLocks', () => {
  it('fails at start-up and closes the provider', async () => {
    const { provider, module } = scriptedAdapter();
    await expect(open({ provider: module, requires: { expiry: 'session' } })).rejects.toMatchObject(
      misconfigured('expiry: session (it has ttl)'),
    );
    expect(provider.closed).toBe(1);
  });

  it('names what is lacking although the provider cannot be closed', async () => {
    const { provider, module } = scriptedAdapter();
    provider.closing = () => {
      throw new Error('socket hang up');
    };
    await expect(open({ provider: module, requires: { expiry: 'session' } })).rejects.toThrow('expiry: session');
  });
});
