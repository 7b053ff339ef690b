import type { ServerHandle } from '../handle.ts';
import { startServer } from '../start-server.ts';
import { type ZookeeperOptions, defineZookeeper } from './definition.ts';

/** Options of `startZookeeper`. */
export type ZookeeperServerOptions = ZookeeperOptions;

/**
 * Starts a ZooKeeper of its own for the caller, alone, in the way that the environment chooses (see the README). Resolves when it serves
 * clients; rejects with the end of its output when it does not within 60 s. Rejects when `LOCKS_TEST_ZOOKEEPER_URL` names an external
 * server and options are given, for it cannot be given any.
 */
export function startZookeeper(options: ZookeeperServerOptions = {}): Promise<ServerHandle> {
  return startServer(defineZookeeper(options), Object.keys(options));
}
