import { inspect } from 'node:util';
import { createMemoryProvider } from '@locks/core';
import type { LockProvider } from '@locks/core';
import { expect, it, onTestFinished } from 'vitest';
import { combine, migrate, namespaced } from '../src/index.ts';

const memory = () => createMemoryProvider();

it.each<[string, string, () => LockProvider]>([
  ['combine', 'CombinedProvider', () => combine([memory(), memory(), memory()])],
  ['namespaced', 'Namespaced', () => namespaced(memory(), 'p')],
  ['migrate', 'MigratingProvider', () => migrate({ from: memory(), to: memory(), phase: 'from', name: 'm' })],
])('%s prints its name and its traits, and nothing of what is inside', (_call, name, make) => {
  const provider = make();
  onTestFinished(() => provider.close());
  const json = JSON.stringify(provider);
  expect(JSON.parse(json)).toEqual({ name: provider.name, traits: provider.traits });
  expect(inspect(provider, { depth: 9 }).replaceAll(/\s+/g, ' ')).toMatch(
    new RegExp(`^${name} \\{ name: '\\w+', traits: \\{ [^{}]* \\} \\}$`),
  );
});
