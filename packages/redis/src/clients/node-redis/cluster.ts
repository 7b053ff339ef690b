import type { RedisClusterClient, RedisNode } from '../../wire/client.ts';
import { noNode } from '../../wire/servers.ts';
import type { NodeRedisClient } from './client.ts';
import { asReply, commandsOf, plainReplies, senderOf } from './commands.ts';
import { copyOf, duplicateOf } from './copy.ts';
import { keyPrefixOf } from './version.ts';
import { stateOf } from './state.ts';

/** A node of a Cluster, as node-redis knows it. */
export interface NodeRedisClusterNode {
  readonly host: string;
  readonly port: number;
  /** Absent until first used, with option `minimizeConnections`. */
  readonly client?: NodeRedisClient | undefined;
}

/** The few members used of a Cluster of node-redis (`createCluster()`). It is not changed. */
export interface NodeRedisCluster {
  readonly isOpen: boolean;
  readonly masters: readonly NodeRedisClusterNode[];
  readonly replicas: readonly NodeRedisClusterNode[];
  readonly slots: readonly { readonly master: NodeRedisClusterNode }[];
  nodeClient(node: NodeRedisClusterNode): Promise<NodeRedisClient>;
  sendCommand(
    key: string | undefined,
    isReadonly: boolean | undefined,
    args: string[],
    options?: object,
  ): Promise<unknown>;
}

/** A Cluster as the provider uses one. */
export function fromNodeRedisCluster(cluster: NodeRedisCluster): RedisClusterClient {
  const keyPrefix = keyPrefixOf(cluster);
  const state = stateOf(cluster, 'Cluster');
  const known = new WeakMap<NodeRedisClusterNode, RedisNode>();
  let table: { readonly of: NodeRedisCluster['slots']; readonly names: RedisClusterClient['slots'] } | undefined;

  const nodeOf = (node: NodeRedisClusterNode): RedisNode => {
    let found = known.get(node);
    if (found === undefined) known.set(node, (found = fromNode(cluster, node, keyPrefix)));
    return found;
  };

  const {
    evalsha,
    eval: evaluate,
    options,
  } = commandsOf(
    state.guarded(async (...args) => {
      const [, , , key] = args;
      try {
        return await cluster.sendCommand(String(key), false, args.map(String), plainReplies);
      } catch (error) {
        throw asReply(error);
      }
    }),
    keyPrefix,
  );
  return {
    isCluster: true,
    evalsha,
    eval: evaluate,
    options,
    async ping() {
      const [master] = cluster.masters;
      if (master === undefined) throw noNode();
      return await nodeOf(master).ping();
    },
    nodes: (role) => [...cluster.masters, ...(role === 'all' ? cluster.replicas : [])].map(nodeOf),
    get slots() {
      const { slots } = cluster;
      // The library creates a new table when the Cluster has changed.
      if (table?.of !== slots) table = { of: slots, names: Array.from(slots, (slot) => slot && [nameOf(slot.master)]) };
      return table.names;
    },
    get status() {
      return state.status();
    },
  };
}

function nameOf({ host, port }: NodeRedisClusterNode): string {
  return `${host}:${port}`;
}

function fromNode(cluster: NodeRedisCluster, node: NodeRedisClusterNode, keyPrefix: string): RedisNode {
  const client = (): Promise<NodeRedisClient> => cluster.nodeClient(node);
  const { host, port } = node;
  const commands = commandsOf(async (...args) => await senderOf(await client())(...args));
  return {
    ...commands,
    options: { host, port },
    duplicate: () => copyOf({ create: async () => duplicateOf(await client()), keyPrefix }),
    get stream() {
      return node.client?.socketEpoch;
    },
    get status() {
      return node.client?.isReady === true ? 'ready' : 'connecting';
    },
  };
}
