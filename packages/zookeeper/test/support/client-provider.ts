import { createClient } from 'node-zookeeper-client';
import { createZookeeperProvider } from '../../src/index.ts';
import type { ZookeeperProvider } from '../../src/index.ts';
import type { Make } from './conformance.ts';

/** A provider over `node-zookeeper-client`, with the servers and the session of `options`. */
export const overClient: Make = ({ servers, sessionTimeout = 6_000, ...options }): ZookeeperProvider =>
  createZookeeperProvider({
    ...options,
    client: () => createClient(servers, { sessionTimeout: Number(sessionTimeout), spinDelay: 50 }),
  });
