import { startZookeeper, startZookeeperEnsemble } from '@locks/test-servers';
import type { Target } from '../worker/messages.ts';
import type { Address, Backend } from './backend.ts';

/** In ms: ten ticks, of which the library may count on some two thirds. */
const sessionTimeout = 2_500;
const tickTime = 250;

export const zookeeper: Backend = {
  adapter: 'zookeeper',
  clients: [],
  async start() {
    const server = await startZookeeper({ tickTime });
    return { servers: [server], target, stop: () => server.stop() };
  },
};

export const ensemble: Backend = {
  adapter: 'zookeeper',
  clients: [],
  async start() {
    const members = await startZookeeperEnsemble({ tickTime, syncLimit: 8, initLimit: 40, partitions: true });
    const between = { cutOff: members.partition, lag: members.lag };
    return { servers: members.servers, between, target, stop: () => members.stop() };
  },
};

function target(addresses: readonly Address[]): Target {
  return {
    url: `zookeeper://${addresses.map(({ host, port }) => `${host}:${port}`).join(',')}`,
    ttl: sessionTimeout,
    options: { acl: 'open', sessionTimeout, timeout: 2_000 },
  };
}
