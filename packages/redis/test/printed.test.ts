import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { createRedisProvider } from '../src/index.ts';

test('a provider shows its name and its traits, and nothing of its client', () => {
  const client = new Redis('redis://user:secret@localhost:1', { lazyConnect: true });
  const provider = createRedisProvider(client, { prefix: 'internal:' });
  const json = JSON.stringify(provider);
  expect(JSON.parse(json)).toEqual({ name: provider.name, traits: provider.traits });
  const shown = inspect(provider, { depth: null });
  expect(shown.replaceAll(/\s+/g, ' ')).toMatch(/^\w+ \{ name: 'redis', traits: \{ [^{}]+ \} \}$/);
  expect(inspect(provider, { depth: null, showHidden: true })).not.toMatch(/secret|internal/);
});
