import type { ServerHandle } from '../../server/handle.ts';
import { startOnFreePorts } from '../../server/ports.ts';
import { startMember } from '../../start/start-member.ts';
import { startTogether } from '../../start/start-together.ts';
import { eventually } from '../../support/eventually.ts';
import { redisCommand } from '../command.ts';
import { mustBeLocal } from '../local-only.ts';
import type { MemberLinks } from '../../support/member-links.ts';
import { type NodePorts, linkNodes } from './node-links.ts';
import type { RedisClusterOptions } from './options.ts';
import { type TlsEntrance, tlsEntrance, withTls } from '../tls.ts';
import { all, formCluster, settled } from './form.ts';
import type { LooseNode } from './form.ts';
import { replaceNode } from './replace.ts';
import { defineNode } from '../node.ts';
import { type SlotMove, beginSlotMove } from './slot-move.ts';
import { isOk, ownerOf, viewOf } from './topology.ts';
import type { NodeView } from './topology.ts';

/**
 * In ms: a node that is silent for this long is suspected, and a replica replaces it. With less,
 * nodes fail on a busy machine.
 */
const nodeTimeout = '1000';

/** Several Redis servers that share the slots. */
export interface RedisCluster extends AsyncDisposable {
  /**
   * First the initial masters, then the replicas of each in turn. `restart()` of one resolves when
   * it answers; `settled` waits until it serves clients. One that starts without its data is
   * unknown to the others.
   */
  readonly nodes: readonly ServerHandle[];
  /** `redis+cluster://host:port,host:port,…`, all nodes. */
  readonly url: string;
  /** With option `tls`. */
  readonly tls: TlsEntrance | undefined;
  /** The nodes that serve slots now. */
  masters(): Promise<readonly ServerHandle[]>;
  /** The master of a key, whose braces may have a tag. */
  masterOf(key: string): Promise<ServerHandle>;
  /** The replicas of a master that are not known to fail. */
  replicasOf(master: ServerHandle): Promise<readonly ServerHandle[]>;
  /**
   * Makes a replica the master of its slots. The old master waits for its last writes, and becomes
   * a replica. Resolves when all nodes know it.
   */
  failOver(replica: ServerHandle): Promise<void>;
  /** Begins to move the slot of a key, braces as above, to another master. */
  moveSlotOf(key: string, to: ServerHandle): Promise<SlotMove>;
  /**
   * Isolates these nodes from the others, but not from clients that connect to their handles. Needs
   * option `partitions`. Returns a function that ends it.
   */
  partition(...nodes: readonly ServerHandle[]): () => void;
  /**
   * Replaces a node by an empty one with its address, which becomes a replica. The other nodes must
   * run. Resolves when it has a copy.
   */
  replace(node: ServerHandle): Promise<void>;
  /** Resolves when all nodes that answer serve clients, and replicas have a copy. */
  settled(): Promise<void>;
  /** Ends all nodes permanently and removes their data. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts a separate Redis Cluster, on free loopback ports. Resolves when all nodes serve clients.
 * That takes more than two seconds, in which a new master refuses them.
 */
export async function startRedisCluster(options: RedisClusterOptions = {}): Promise<RedisCluster> {
  const { masters = 3, replicas = 1, args = [], tls = false, partitions = false, clocks } = options;
  if (clocks !== undefined) mustBeLocal('a Redis Cluster with clocks of its own');
  const count = masters * (1 + replicas);
  return await startOnFreePorts('127.0.0.1', (tls || partitions ? 4 : 2) * count, async (ports) => {
    const tlsPorts = tls ? ports.slice(2 * count, 3 * count) : [];
    const own = Array.from({ length: count }, (_, index) => ({
      port: ports[index] ?? 0,
      busPort: ports[count + index] ?? 0,
      announcedPort: ports[2 * count + index] ?? 0,
      announcedBusPort: ports[3 * count + index] ?? 0,
    }));
    const names: string[] = [];
    const links = partitions ? await linkNodes(own, names) : undefined;
    const nodes = await startTogether(count, async (index, signal) => {
      const settings = ['--cluster-enabled', 'yes', '--cluster-port', `${ports[count + index]}`];
      settings.push('--cluster-node-timeout', nodeTimeout, ...(tls ? ['--tls-cluster', 'yes'] : []));
      if (partitions) settings.push(...announced(own[index]));
      const definition = withTls(defineNode([...settings, ...args], clocks), tlsPorts[index]);
      return await startMember(definition, { port: ports[index] ?? 0, signal });
    });
    try {
      const loose = nodes.map((handle, index) => ({
        handle,
        busPort: own[index]?.[partitions ? 'announcedBusPort' : 'busPort'] ?? 0,
      }));
      await formCluster(loose, masters, (ids) => names.push(...ids));
      return clusterOf(loose, names, tls ? tlsPorts : undefined, links);
    } catch (error) {
      await Promise.all([...nodes.map((node) => node.stop()), links?.stop()]);
      throw error;
    }
  });
}

/** The announced address of a node. */
function announced(node: NodePorts | undefined): readonly string[] {
  return [
    ...['--cluster-announce-port', `${node?.announcedPort}`],
    ...['--cluster-announce-bus-port', `${node?.announcedBusPort}`],
  ];
}

function clusterOf(
  loose: readonly LooseNode[],
  ids: string[],
  tlsPorts: readonly number[] | undefined,
  links: MemberLinks | undefined,
): RedisCluster {
  const nodes = loose.map(({ handle }) => handle);
  const idOf = (node: ServerHandle): string => {
    const id = ids[nodes.indexOf(node)];
    if (id === undefined) throw new Error(`the server at ${node.host}:${node.port} is no node of this cluster`);
    return id;
  };
  const handlesOf = (views: readonly NodeView[]): readonly ServerHandle[] =>
    nodes.filter((_, index) => views.some(({ id }) => id === ids[index]));

  /** The view of the first node that serves clients. */
  function view(): Promise<readonly NodeView[]> {
    return eventually('a node that serves clients', async () => {
      for (const node of await answering()) if (await isOk(node).catch(() => false)) return await viewOf(node);
      return undefined;
    });
  }

  async function answering(): Promise<readonly ServerHandle[]> {
    const answers = await Promise.all(
      nodes.map((node) =>
        redisCommand(node, 'PING').then(
          () => [node],
          () => [],
        ),
      ),
    );
    return answers.flat();
  }

  async function masterOf(key: string): Promise<ServerHandle> {
    return (await ownerOfKey(key)).master;
  }

  async function ownerOfKey(key: string): Promise<{ readonly slot: number; readonly master: ServerHandle }> {
    const slot = await eventually('a node that answers', async () => {
      for (const node of await answering()) return Number(await redisCommand(node, 'CLUSTER', 'KEYSLOT', key));
      return undefined;
    });
    const owner = ownerOf(slot, await view());
    const [master] = owner === undefined ? [] : handlesOf([owner]);
    if (master === undefined) throw new Error(`slot ${slot} of ${JSON.stringify(key)} has no master`);
    return { slot, master };
  }

  const stop = async (): Promise<void> =>
    void (await Promise.all([...nodes.map((node) => node.stop()), links?.stop()]));
  const masters = async (): Promise<readonly ServerHandle[]> =>
    handlesOf((await view()).filter(({ master, slots }) => master && slots.length > 0));

  const url = `redis+cluster://${nodes.map(({ host, port }) => `${host}:${port}`).join(',')}`;
  return {
    nodes,
    url,
    tls: tlsPorts && tlsEntrance(url, tlsPorts),
    masters,
    masterOf,
    async replicasOf(master) {
      const id = idOf(master);
      return handlesOf((await view()).filter(({ masterId, failing }) => masterId === id && !failing));
    },
    async failOver(replica) {
      const id = idOf(replica);
      await eventually('a failover', async () => {
        await redisCommand(replica, 'CLUSTER', 'FAILOVER').catch(() => {});
        return (await viewOf(replica)).some((node) => node.id === id && node.slots.length > 0);
      });
      await all('nodes that know the new master', await answering(), async (node) =>
        (await viewOf(node)).some((one) => one.id === id && one.slots.length > 0),
      );
    },
    async moveSlotOf(key, to) {
      const { slot, master: from } = await ownerOfKey(key);
      const id = idOf(to);
      return await beginSlotMove({
        slot,
        from,
        to,
        idOf,
        masters: await masters(),
        agreed: async () =>
          await all(
            'nodes that know the new owner',
            await answering(),
            async (node) => ownerOf(slot, await viewOf(node))?.id === id,
          ),
      });
    },
    partition(...some) {
      if (links === undefined) throw new Error('partition() needs option partitions of startRedisCluster()');
      return links.cutOff(some.map((node) => nodes.indexOf(node)));
    },
    async replace(node) {
      const old = idOf(node);
      await replaceNode(loose, nodes.indexOf(node), old, (id) => (ids[nodes.indexOf(node)] = id));
    },
    settled: async () => await settled(await answering()),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
