import { systemRuntime } from '@locks/core/adapter';
import { onTestFinished } from 'vitest';
import { assembleProvider } from '../../src/create-provider.ts';
import { readZookeeperOptions } from '../../src/options/options.ts';
import type { ZookeeperProviderOptions } from '../../src/options/options.ts';
import type { SessionProvider } from '../../src/provider.ts';

/** A provider with the members that guards use. It is closed at the end of the test. */
export function openSessionProvider(options: ZookeeperProviderOptions): SessionProvider {
  const provider = assembleProvider(readZookeeperOptions(options), systemRuntime);
  onTestFinished(() => provider.close());
  return provider;
}
