import { describe, expect, it } from 'vitest';
import { createLocks, openLocks } from '../../src/index.ts';
import type { LocksOptions } from '../../src/index.ts';
import { ScriptedProvider } from '../support/scripted-provider.ts';
import { VirtualRuntime } from '../support/virtual-runtime.ts';

const localHandOff = { count: 16, ms: 5_000 };

describe('option localHandOff', () => {
  it.each([
    ['16'],
    ['16 in'],
    ['0 in 5ms'],
    ['16 in 5 minutes'],
    [{ count: 0, ms: 5 }],
    [{ count: 1.5, ms: 5 }],
    [{ count: 1_001, ms: 5 }],
    [{ count: 16 }],
    [{ count: 16, ms: 0 }],
    [{ count: 16, ms: 10_001 }],
    [{ count: 16, ms: 5, more: 1 }],
    [true],
    [null],
  ])('is refused with what it must be: %j', (value) => {
    const create = () =>
      createLocks(new ScriptedProvider(new VirtualRuntime()), { localHandOff: value } as unknown as LocksOptions);
    expect(create).toThrow(
      expect.objectContaining({
        code: 'LOCK_MISCONFIGURED',
        message: expect.stringContaining(
          'option "localHandOff" must be an object { count, ms }: integers from 1 to 1000, and from 1 to 10000, or text such as "16 in 5ms", not ',
        ),
      }),
    );
  });

  it('is refused for a provider with sessions', () => {
    const provider = new ScriptedProvider(new VirtualRuntime(), { expiry: 'session' });
    expect(() => createLocks(provider, { localHandOff })).toThrow(
      expect.objectContaining({
        code: 'LOCK_MISCONFIGURED',
        message: expect.stringContaining('Option "localHandOff" needs a provider with expiry: "ttl", and scripted has'),
      }),
    );
  });

  it('ends the order of the line, which fair promises', () => {
    const provider = new ScriptedProvider(new VirtualRuntime());
    expect(createLocks(provider).traits.fair).toBe(true);
    const locks = createLocks(provider, { localHandOff });
    expect(locks.traits).toEqual({ ...provider.traits, fair: false });
    expect(() => createLocks(provider, { localHandOff, requires: { fair: true } })).toThrow(
      'fair: true (it has false)',
    );
  });

  it('can come from a URL and from a configuration', async () => {
    for (const target of [
      `memory:?localHandOff=${encodeURIComponent('16 in 5s')}`,
      { url: 'memory:', localHandOff },
      { url: 'memory:', localHandOff: '16 in 5000' },
    ]) {
      await using locks = await openLocks(target);
      expect(locks.traits.fair).toBe(false);
      await using first = await locks.acquire('key');
      const next = locks.acquire('key');
      await first.release();
      expect((await next).token).toBe(first.token + 1n);
      await (await next).release();
    }
  });
});
