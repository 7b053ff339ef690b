import { createMemoryProvider } from '@locks/core';
import { expect, test } from 'vitest';
import { openProcesses } from '../../src/differential/processes.ts';

test('a provider is opened whose positions end before its inspections are answered', { timeout: 5_000 }, async () => {
  const opened = await openProcesses({
    name: 'slow',
    create: ({ waiterTtl }) => {
      const provider = createMemoryProvider({ waiterTtl });
      const inspect = provider.inspect.bind(provider);
      provider.inspect = async (key) => {
        await new Promise((resolve) => setTimeout(resolve, 300));
        return await inspect(key);
      };
      return provider;
    },
  });
  const { provider } = await opened.of({ waiterTtl: 150 }, 1);
  expect(provider(0).name).toBe('memory');
  await opened.close();
});
