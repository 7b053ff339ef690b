import { describe, expect, it } from 'vitest';
import { createFencingGuard } from '../../src/index.ts';
import type { Lease } from '../../src/index.ts';
import { lockError } from '../support/lock-error.ts';

function lease(token: unknown, mode: unknown = 'exclusive'): Pick<Lease, 'token' | 'mode'> {
  return { token, mode } as Pick<Lease, 'token' | 'mode'>;
}

describe('a fencing guard', () => {
  it('accepts higher tokens, and the same one again', () => {
    const guard = createFencingGuard();
    for (const token of [5n, 5n, 6n, 2n ** 60n, 2n ** 60n + 1n])
      expect(() => guard.check('file', lease(token))).not.toThrow();
  });

  it('refuses a lower token with LOCK_STALE, which names both', () => {
    const guard = createFencingGuard();
    guard.check('file', lease(2n ** 60n + 1n));
    expect(() => guard.check('file', lease(2n ** 60n))).toThrow(
      expect.objectContaining(lockError('LOCK_STALE', /1152921504606846976.*"file".*1152921504606846977/)),
    );
    // What was refused counts for nothing, and the highest of several counts.
    expect(() => guard.check('file', lease(2n ** 60n))).toThrow(expect.objectContaining({ code: 'LOCK_STALE' }));
    for (const token of [2n ** 60n + 1n, 2n ** 61n]) expect(() => guard.check('file', lease(token))).not.toThrow();
    expect(() => guard.check('file', lease(2n ** 60n + 1n))).toThrow();
  });

  it('keeps resources apart', () => {
    const guard = createFencingGuard();
    guard.check('file', lease(10n));
    expect(() => guard.check('other', lease(1n))).not.toThrow();
  });

  it('forgets a resource on demand', () => {
    const guard = createFencingGuard();
    guard.check('file', lease(10n));
    guard.forget('file');
    expect(() => guard.check('file', lease(1n))).not.toThrow();
  });

  it.each<[string, unknown]>([
    ['a shared lease', lease(5n, 'shared')],
    ['a lease without a mode', { token: 5n }],
    ['a token that is a number', lease(5)],
    ['a token alone', 5n],
    ['nothing', undefined],
    ['null', null],
  ])('refuses %s with LOCK_INVALID, and remembers nothing of it', (_, wrong) => {
    const guard = createFencingGuard();
    expect(() => guard.check('file', wrong as Lease)).toThrow(
      expect.objectContaining(lockError('LOCK_INVALID', '"file"')),
    );
    expect(() => guard.check('file', lease(1n))).not.toThrow();
  });
});
