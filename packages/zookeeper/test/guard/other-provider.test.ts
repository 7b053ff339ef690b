import { createMemoryProvider } from '@locks/core';
import { expect, test } from 'vitest';
import { createZookeeperGuard } from '../../src/index.ts';

test.each([
  ['a provider of another backend', createMemoryProvider()],
  ['no provider', undefined],
])('a guard refuses %s', (_, provider) => {
  expect(() => createZookeeperGuard(provider as never)).toThrow(
    expect.objectContaining({
      code: 'LOCK_MISCONFIGURED',
      message: 'createZookeeperGuard: it needs a provider of createZookeeperProvider.',
    }),
  );
});
