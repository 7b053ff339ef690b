import type { ServerHandle } from '../server/handle.ts';
import { startServer } from '../start/start-server.ts';
import { defineEtcd } from './definition.ts';
import type { EtcdServerOptions } from './definition.ts';

/**
 * Starts a separate etcd, as chosen by the environment (see the README). Resolves when it is
 * healthy. Rejects if `LOCKS_TEST_ETCD_URL` names an external server and options are set, which it
 * cannot have.
 */
export function startEtcd(options: EtcdServerOptions = {}): Promise<ServerHandle> {
  return startServer(defineEtcd(options), Object.keys(options));
}
