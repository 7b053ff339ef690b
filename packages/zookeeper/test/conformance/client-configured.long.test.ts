import { createClient } from 'node-zookeeper-client';
import { createZookeeperProvider } from '../../src/index.ts';
import { startAlone } from '../support/backends.ts';
import { suite } from '../support/conformance.ts';
import type { Make } from '../support/conformance.ts';
import { ofAccessOverClient } from '../support/selection.ts';

/** With nodes that belong to one user, below a chroot of the client. */
const configured: Make = ({ servers, sessionTimeout = 6_000, ...options }) =>
  createZookeeperProvider({
    ...options,
    acl: 'creator',
    client() {
      const client = createClient(`${servers}/app`, { sessionTimeout: Number(sessionTimeout), spinDelay: 50 });
      client.addAuthInfo('digest', Buffer.from('ann:secret'));
      return client;
    },
  });

const backend = await startAlone();
suite('node-zookeeper-client, configured', backend, {}, ofAccessOverClient, configured);
