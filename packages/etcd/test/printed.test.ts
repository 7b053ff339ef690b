import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { open } from './support/etcd.ts';

test('a provider shows its name and its traits, and nothing of its connection', async () => {
  const provider = await open({ username: 'user', password: 'secret', prefix: 'internal' });
  const json = JSON.stringify(provider);
  expect(JSON.parse(json)).toEqual({ name: provider.name, traits: provider.traits });
  const shown = inspect(provider, { depth: null });
  expect(shown.replaceAll(/\s+/g, ' ')).toMatch(/^\w+ \{ name: 'etcd', traits: \{ [^{}]+ \} \}$/);
  expect(inspect(provider, { depth: null, showHidden: true })).not.toMatch(/secret|internal/);
});
