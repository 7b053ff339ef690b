import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Account, Pass } from '../src/account.ts';
import { createFileAccount } from '../src/file-account.ts';
import { createMemoryAccount } from '../src/memory-account.ts';

function fileAccount(): Account {
  const folder = mkdtempSync(join(tmpdir(), 'locks-demo-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return createFileAccount(join(folder, 'balance.json'));
}

const pass = (token: bigint): Pass => ({ token, mode: 'exclusive' });
const stale = expect.objectContaining({ code: 'LOCK_STALE' });

describe.each([
  { kind: 'memory', create: createMemoryAccount },
  { kind: 'a file', create: fileAccount },
])('an account in $kind', ({ create }) => {
  test('without a lock, the last write wins', () => {
    const account = create();
    account.write(2);
    account.write(1);
    expect(account.read()).toBe(1);
  });

  test('refuses an early holder once a later one has written', () => {
    const account = create();
    account.write(1, pass(9n));
    account.write(2, pass(10n));
    expect(() => account.write(3, pass(9n))).toThrow(stale);
    expect(account.read()).toBe(2);
  });

  test('refuses an early holder once a later one has read', () => {
    const account = create();
    account.read(pass(9n));
    account.read(pass(10n));
    expect(() => account.write(1, pass(9n))).toThrow(stale);
    expect(() => account.read(pass(9n))).toThrow(stale);
    account.write(1, pass(10n));
    expect(account.read()).toBe(1);
  });
});
