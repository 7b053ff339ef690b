// How another process of the conformance suite makes its provider.
import { createZookeeperProvider } from '@locks/zookeeper';

export function create(options) {
  return createZookeeperProvider(options);
}
