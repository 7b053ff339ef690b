import { describe, expect, it } from 'vitest';
import { LockError, isLockError } from '../../src/index.ts';

describe('a LockError', () => {
  it('has a name, a code, and what it was given', () => {
    const cause = new Error('underneath');
    const error = new LockError('LOCK_LOST', 'It is gone.', { cause, key: 'key', result: 7 });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'LockError',
      code: 'LOCK_LOST',
      message: 'It is gone.',
      cause,
      key: 'key',
      result: 7,
    });
    expect(String(error)).toBe('LockError: It is gone.');
  });

  it('has no cause unless it was given one, which may be undefined', () => {
    expect('cause' in new LockError('LOCK_LOST', 'x')).toBe(false);
    expect('cause' in new LockError('LOCK_LOST', 'x', { cause: undefined })).toBe(true);
  });
});

describe('isLockError', () => {
  it('knows errors of this package, with the code if one is asked for', () => {
    const error = new LockError('LOCK_TIMEOUT', 'x');
    expect(isLockError(error)).toBe(true);
    expect(isLockError(error, 'LOCK_TIMEOUT')).toBe(true);
    expect(isLockError(error, 'LOCK_LOST')).toBe(false);
  });

  it.each<[string, unknown]>([
    ['another error', new Error('x')],
    ['an error with a foreign code', Object.assign(new Error('x'), { code: 'ECONNREFUSED' })],
    ['an error with a code that only looks like one', Object.assign(new Error('x'), { code: 'LOCK_FOO' })],
    ['an error with a code that is no string', Object.assign(new Error('x'), { code: 5 })],
    ['an object', { name: 'LockError', code: 'LOCK_LOST' }],
    ['null', null],
    ['undefined', undefined],
    ['a string', 'LOCK_LOST'],
  ])('does not know %s', (_, value) => {
    expect(isLockError(value)).toBe(false);
  });

  it.each([
    'LOCK_TIMEOUT',
    'LOCK_LOST',
    'LOCK_UNAVAILABLE',
    'LOCK_CLOSED',
    'LOCK_INVALID',
    'LOCK_MISCONFIGURED',
    'LOCK_OVERLOADED',
    'LOCK_DEADLOCK',
    'LOCK_STALE',
  ] as const)('knows the code %s', (code) => {
    expect(isLockError(new LockError(code, 'x'), code)).toBe(true);
  });
});
