import type { ServerHandle } from '../server/handle.ts';
import { startServer } from '../start/start-server.ts';
import { defineEtcd } from './definition.ts';
import type { EtcdServerOptions } from './definition.ts';

/**
 * Starts an etcd of its own for the caller, in the way that the environment chooses (see the
 * README). Resolves when it is healthy. Rejects when `LOCKS_TEST_ETCD_URL` names an external server
 * and options are given, for it cannot be given any.
 */
export function startEtcd(options: EtcdServerOptions = {}): Promise<ServerHandle> {
  return startServer(defineEtcd(options), Object.keys(options));
}
