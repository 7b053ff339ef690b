import { createDeadline } from '@locks/core/adapter';
import type { AdapterConfig } from '@locks/core/adapter';
import type { LockProvider } from '@locks/core';
import { printAddresses } from './connection/address.ts';
import { assembleProvider } from './create-provider.ts';
import { readConfigOptions } from './options/config-options.ts';

/**
 * The provider of `openLocks('zookeeper://host1:2181,host2:2181/chroot')`.
 * @throws `LOCK_MISCONFIGURED` for a wrong option, refused credentials, nodes that may not be
 * created, and unusable servers. `LOCK_UNAVAILABLE` if no server answers within `connectTimeout`.
 */
export async function fromConfig(config: AdapterConfig): Promise<LockProvider> {
  const { provider: options, connectTimeout } = readConfigOptions(config);
  const provider = assembleProvider(options, config.runtime);
  const deadline = createDeadline(config.runtime, connectTimeout, `ZooKeeper at ${printAddresses(options.addresses)}`);
  try {
    await deadline.race(provider.connect(connectTimeout), 'the connection');
    return provider;
  } catch (error) {
    await provider.close();
    throw error;
  } finally {
    deadline.stop();
  }
}
