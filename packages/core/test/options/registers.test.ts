import { expect, test } from 'vitest';
import { createMemoryProvider, createMemoryStore } from '../../src/index.ts';
import { namespaced } from '../../../composites/src/index.ts';
import type { LockProvider } from '../../src/index.ts';
import { checkRegister, longestText } from '../../src/adapter/index.ts';

const longest = ['n'.repeat(250), 't'.repeat(200)] as const;

test('names have 1 to 250, texts 1 to 200 printable ASCII characters without spaces, and 50 more for composites', () => {
  const [name, text] = longest;
  expect(() => checkRegister(name, { from: text, to: '~!' })).not.toThrow();
  expect(() => checkRegister('!', { from: undefined, to: undefined })).not.toThrow();
  for (const wrong of ['', 'a b', 'é', 'a\n', 'a\0', '\u007f', 1 as unknown as string]) {
    const invalid = { code: 'LOCK_INVALID', message: expect.stringMatching(/^(?:The name|A text) of a register/) };
    const refused = expect.objectContaining(invalid) as Error;
    expect(() => checkRegister(wrong)).toThrow(refused);
    expect(() => checkRegister('name', { from: wrong, to: undefined })).toThrow(refused);
    expect(() => checkRegister('name', { from: undefined, to: wrong })).toThrow(refused);
  }
  expect(() => checkRegister(`${name}n`)).toThrow('1 to 250');
  expect(() => checkRegister('name', { from: undefined, to: `${text}t` })).not.toThrow();
  expect(() => checkRegister('name', { from: undefined, to: `${text}t` }, longestText)).toThrow('1 to 200');
  expect(() => checkRegister('name', { from: undefined, to: 't'.repeat(251) })).toThrow('1 to 250');
});

test('registers of two prefixes, and of none, are different, with names of any length', async () => {
  const store = createMemoryStore();
  const plain = createMemoryProvider({ store });
  const [name] = longest;
  const providers: readonly LockProvider[] = [
    plain,
    namespaced(plain, 'é'.repeat(100)),
    namespaced(plain, 'é'.repeat(99)),
  ];
  for (const [index, provider] of providers.entries()) {
    expect(await provider.register?.(name, { from: undefined, to: `${index}` })).toBe(`${index}`);
  }
  for (const [index, provider] of providers.entries()) expect(await provider.register?.(name)).toBe(`${index}`);
  expect([...store.keys('')]).toEqual([]);
  await plain.close();
});
