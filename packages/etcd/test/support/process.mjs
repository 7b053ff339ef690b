// How another process of the conformance suite makes its provider.
import { createEtcdProvider } from '@locks/etcd';

export function create(options) {
  return createEtcdProvider(options);
}
