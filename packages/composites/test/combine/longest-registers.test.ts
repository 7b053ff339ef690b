import { expect, onTestFinished, test } from 'vitest';
import { createLocks, createMemoryProvider } from '../../../core/src/index.ts';
import type { LockProvider } from '../../../core/src/index.ts';
import { createTestLocks } from '../../../core/src/testing/index.ts';
import { withFloor } from '../../../core/src/token-floor/with-floor.ts';
import { combine, migrate, namespaced } from '../../src/index.ts';
import type { Phase } from '../../src/index.ts';

const memory = (): LockProvider => createMemoryProvider();
const all = (): LockProvider => combine([memory(), memory()], { need: 'all' });
const majority = (): LockProvider => combine([memory(), memory(), memory()]);
const moving = (phase: Phase, from = memory(), to = memory()): LockProvider =>
  migrate({ name: 'm', from, to, phase, settle: 0 });

test.each<readonly [string, () => LockProvider]>([
  ['a prefix', () => namespaced(memory(), 'é'.repeat(100))],
  ['a floor', () => withFloor(memory(), 5n)],
  ['a quorum', majority],
  ['a prefix of a quorum with a floor', () => namespaced(withFloor(majority(), 5n), 'é'.repeat(100))],
  ['a quorum of composites', () => combine([all(), memory(), majority()])],
  ['a migration, in "from"', () => moving('from')],
  ['a migration, in "both"', () => moving('both')],
  ['a migration of a composite, in "both"', () => moving('both', all(), all())],
  ['a migration of a composite, in "to"', () => moving('to', all(), all())],
])('%s passes the longest names and texts of registers on', async (_, make) => {
  const provider = make();
  onTestFinished(() => provider.close());
  const names = ['a', 'b'].map((last) => 'n'.repeat(249) + last);
  for (const name of names) {
    const text = name.slice(-200);
    expect(await provider.register?.(name, { from: undefined, to: text })).toBe(text);
    expect(await provider.register?.(name)).toBe(text);
  }
  const locks = createLocks(provider, { label: 'l'.repeat(100) });
  const key = 'ü'.repeat(256);
  const failing = locks.once(key, new Date(60_000), { next: '1h' }, () => {
    throw new Error('€'.repeat(200));
  });
  await expect(failing).rejects.toThrow('€');
  expect(await locks.job(key)).toMatchObject({ state: 'failed', error: expect.stringMatching(/^€+$/) as string });
  await locks.close();
});

test('locks for tests have jobs', async () => {
  const { locks } = createTestLocks();
  expect(await locks.once('job', new Date(60_000), {}, () => 1)).toMatchObject({ state: 'ran' });
});
