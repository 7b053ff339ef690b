import type { RedisClusterClient, RedisNode } from './client.ts';
import { keySlot } from './key-slot.ts';
import { noNode } from './servers.ts';
import type { Servers } from './servers.ts';

/** The servers of a Cluster, as known by its client. */
export function clusterOf(client: RedisClusterClient): Servers {
  return {
    clustered: true,
    connections: () => (client.status === 'ready' ? connectionsOf(client) : undefined),
    unbroken(connections) {
      if (!(connections instanceof Map)) return false;
      const now = connectionsOf(client);
      for (const [node, stream] of connections as Map<RedisNode, unknown>) {
        // The client drops a node with its connection. One without a connection had sent nothing.
        if (!now.has(node) || (stream && now.get(node) !== stream)) return false;
      }
      return true;
    },
    listenAt: () => known(client),
    holders() {
      const masters = client.nodes('master');
      if (masters.length === 0) throw noNode();
      return masters.map((node) => ({ client: node, replication: () => node.info('replication') }));
    },
  };
}

/** The node with the keys of a lock, by its main name. */
export function nodeOf(client: RedisClusterClient, name: string): RedisNode | undefined {
  const [master] = client.slots[keySlot(name)] ?? [];
  return client.nodes('master').find(({ options }) => `${options?.host}:${options?.port}` === master);
}

function connectionsOf(client: RedisClusterClient): ReadonlyMap<RedisNode, unknown> {
  return new Map(client.nodes('all').map((node) => [node, node.stream]));
}

/** Masters, as a replica whose master is gone may be isolated, too. */
function known(client: RedisClusterClient): readonly RedisNode[] {
  const masters = client.nodes('master');
  return masters.length > 0 ? masters : client.nodes('all');
}
