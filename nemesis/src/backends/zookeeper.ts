import { startZookeeper, startZookeeperEnsemble } from '@locks/test-servers';
import type { Target } from '../worker/messages.ts';
import type { Address, Backend } from './backend.ts';

const tickTime = 250;
/** In ms: ten ticks, of which the library may count on some two thirds. */
const ofOne = 2_500;
/**
 * The same for an ensemble. A client leaves a server for another one after a fifth of it without an
 * answer, which three servers on two processors may take.
 */
const ofEnsemble = 4_000;

export const zookeeper: Backend = {
  adapter: 'zookeeper',
  clients: ['node-zookeeper-client'],
  async start() {
    const server = await startZookeeper({ tickTime });
    return {
      servers: [server],
      own: 'node-zookeeper-client',
      target: (addresses) => target(addresses, ofOne),
      stop: () => server.stop(),
    };
  },
};

export const ensemble: Backend = {
  adapter: 'zookeeper',
  clients: ['node-zookeeper-client'],
  async start() {
    const members = await startZookeeperEnsemble({ tickTime, syncLimit: 8, initLimit: 40, partitions: true });
    const between = { cutOff: members.partition, lag: members.lag };
    return {
      servers: members.servers,
      own: 'node-zookeeper-client',
      between,
      target: (addresses) => target(addresses, ofEnsemble),
      stop: () => members.stop(),
    };
  },
};

function target(addresses: readonly Address[], sessionTimeout: number): Target {
  return {
    url: `zookeeper://${addresses.map(({ host, port }) => `${host}:${port}`).join(',')}`,
    ttl: sessionTimeout,
    options: { acl: 'open', sessionTimeout, timeout: 2_000 },
  };
}
