import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createZookeeperProvider } from '../src/index.ts';

test('a provider shows its name and its traits, and nothing of its session', async () => {
  const auth = { scheme: 'digest', credentials: 'user:secret' };
  const provider = createZookeeperProvider({ servers: 'localhost:1', root: '/internal', auth });
  const json = JSON.stringify(provider);
  expect(JSON.parse(json)).toEqual({ name: provider.name, traits: provider.traits });
  const shown = inspect(provider, { depth: null });
  expect(shown.replaceAll(/\s+/g, ' ')).toMatch(/^\w+ \{ name: '\w+', traits: \{ [^{}]+ \} \}$/);
  expect(shown).not.toMatch(/secret|internal/);
  await provider.close();
});
