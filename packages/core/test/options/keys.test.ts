import { describe, expect, it } from 'vitest';
import { LockError } from '../../src/index.ts';
import { createSetting } from '../support/setting.ts';
import { grantAtOnce } from '../support/scripted-provider.ts';

const refused: readonly [what: string, key: unknown, message: string][] = [
  ['nothing', undefined, 'must be a string, not undefined'],
  ['null', null, 'must be a string, not null'],
  ['a number', 7, 'must be a string, not 7'],
  ['a bigint', 7n, 'must be a string, not 7n'],
  ['an array', ['key'], 'must be a string, not an array'],
  ['an object', { key: 'key' }, 'must be a string, not a value of type object'],
  ['a symbol', Symbol('key'), 'must be a string, not a value of type symbol'],
  ['an empty string', '', 'must not be empty'],
  ['a NUL', 'a\0b', 'contains a NUL character'],
  ['a lone high surrogate', 'a\ud800', 'contains a lone surrogate'],
  ['a lone low surrogate', '\udc00a', 'contains a lone surrogate'],
  ['surrogates in the wrong order', '\udc00\ud800', 'contains a lone surrogate'],
  ['513 bytes of ASCII', 'x'.repeat(513), '513 UTF-8 bytes; at most 512'],
  ['513 bytes with two-byte characters', `${'é'.repeat(256)}x`, '513 UTF-8 bytes; at most 512'],
  ['513 bytes with three-byte characters', '€'.repeat(171), '513 UTF-8 bytes; at most 512'],
  ['516 bytes with four-byte characters', '🔒'.repeat(129), '516 UTF-8 bytes; at most 512'],
];

describe('a key', () => {
  it.each(refused)('that is or has %s is refused with LOCK_INVALID before any call', async (_, key, message) => {
    const { provider, locks } = createSetting();
    const wrong = key as string;
    const told = typeof key === 'string' ? { key } : {};
    const refusal = { code: 'LOCK_INVALID', ...told, message: expect.stringContaining(message) };
    await expect(locks.acquire(wrong)).rejects.toMatchObject(refusal);
    await expect(locks.tryAcquire(wrong)).rejects.toMatchObject(refusal);
    await expect(locks.withLock(wrong, () => 1)).rejects.toMatchObject(refusal);
    await expect(locks.inspect(wrong)).rejects.toMatchObject(refusal);
    expect(provider.calls).toHaveLength(0);
  });

  it.each([
    ['one character', 'k'],
    ['a space', ' '],
    ['slashes, braces and wildcards', '/a/../b{c}*%00'],
    ['control characters', '\u0001\n\u007f'],
    ['512 bytes of ASCII', 'x'.repeat(512)],
    ['512 bytes with two-byte characters', 'é'.repeat(256)],
    ['512 bytes with three-byte characters', `${'€'.repeat(170)}xx`],
    ['512 bytes with four-byte characters', '🔒'.repeat(128)],
  ])('may be or have %s, and reaches the provider unchanged', async (_, key) => {
    const { provider, locks } = createSetting({ answers: { tryAcquire: grantAtOnce } });
    expect((await locks.acquire(key)).key).toBe(key);
    expect(provider.attempts[0]?.claim.key).toBe(key);
  });

  it('is not normalised: two spellings of one character are two keys', async () => {
    const { provider, locks } = createSetting({ answers: { tryAcquire: grantAtOnce } });
    await locks.acquire('é');
    await locks.acquire('e\u0301');
    expect(new Set(provider.attempts.map((call) => call.claim.key)).size).toBe(2);
  });

  it('is shown only in part when it is long', async () => {
    const { locks } = createSetting();
    const shown = `The key "${'x'.repeat(60)}…" has 10000 UTF-8 bytes; at most 512 are allowed. Lock a hash of it instead.`;
    await expect(locks.acquire('x'.repeat(10_000))).rejects.toThrow(shown);
    await expect(locks.acquire(`${'x'.repeat(59)}\0`)).rejects.toThrow(`"${'x'.repeat(59)}\\u0000" contains`);
  });
});

describe('inspect', () => {
  it('answers what the provider answers, with the key in each holder', async () => {
    const { provider, locks } = createSetting();
    const state = {
      key: 'key',
      holders: [{ owner: 'a/1', mode: 'exclusive', token: 5n, remaining: 10 }],
      waiters: 2,
    } as const;
    provider.inspecting = async () => state;
    const holders = state.holders.map((holder) => ({ key: 'key', ...holder }));
    expect(await locks.inspect('key')).toEqual({ ...state, holders });
  });

  it.each(['LOCK_UNAVAILABLE', 'LOCK_MISCONFIGURED'] as const)(
    'rejects with what the provider says when that is an error of this library: %s',
    async (code) => {
      const { provider, locks } = createSetting();
      const error = new LockError(code, 'Said by the provider.');
      provider.inspecting = () => Promise.reject(error);
      await expect(locks.inspect('key')).rejects.toBe(error);
    },
  );

  it('rejects with LOCK_UNAVAILABLE and the cause also when the provider throws', async () => {
    const { provider, locks } = createSetting();
    provider.inspecting = () => {
      throw new Error('connection lost');
    };
    await expect(locks.inspect('key')).rejects.toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      key: 'key',
      cause: expect.objectContaining({ message: 'connection lost' }),
    });
  });
});
