import { holdPort, startOnFreePorts } from '../server/ports.ts';
import type { ServerHandle } from '../server/handle.ts';
import { startMember } from '../start/start-member.ts';
import { startTogether } from '../start/start-together.ts';
import { eventually } from '../support/eventually.ts';
import { defineEtcd } from './definition.ts';
import type { EtcdServerOptions } from './definition.ts';
import { linkMembers } from '../support/member-links.ts';
import { statusOf } from './status.ts';

const host = '127.0.0.1';

/** Several servers that are one etcd. Local processes only. */
export interface EtcdCluster extends AsyncDisposable {
  /** Its members, each with its own address and controls. `restart()` of one needs a majority. */
  readonly servers: readonly ServerHandle[];
  /** `etcd://host:port,host:port,…`, all members. */
  readonly url: string;
  /** The leader; waits for a majority that agrees. */
  leader(): Promise<ServerHandle>;
  /** The other members; waits until there is a leader. */
  followers(): Promise<readonly ServerHandle[]>;
  /**
   * Isolates one member from the others by dropping all packets. Clients still reach it. Returns a
   * function that ends it.
   */
  partition(member: ServerHandle): () => void;
  /** Ends all members permanently and removes their data. Idempotent. */
  stop(): Promise<void>;
}

/** Starts a separate cluster of `size` members. */
export async function startEtcdCluster(
  options: EtcdServerOptions & { readonly size?: number } = {},
): Promise<EtcdCluster> {
  const { size = 3, ...own } = options;
  return await startOnFreePorts(host, 2 * size, async (ports) => {
    const [clientPorts, peerPorts] = [ports.slice(0, size), ports.slice(size)];
    const holds = await Promise.all(peerPorts.map((port) => holdPort(host, port)));
    const ids: string[] = [];
    // A member sends its id at the beginning of a connection.
    const senderOf = (piece: Buffer): number =>
      ids.indexOf(/\r\nX-Server-From: ([\da-f]+)\r\n/i.exec(piece.toString('latin1'))?.[1] ?? '');
    const links = await linkMembers(peerPorts.map((target, to) => ({ to, target, senderOf, membersOnly: true })));
    const end = async (): Promise<void> => {
      await links.stop();
      for (const letGo of holds) letGo();
    };
    const peers = links.ports.map((port, index) => `m${index}=http://${host}:${port}`).join(',');
    try {
      const servers = await startTogether(size, (index, signal) => {
        const cluster = [
          ...['--initial-advertise-peer-urls', `http://${host}:${links.ports[index]}`],
          ...['--initial-cluster', peers, '--initial-cluster-state', 'new'],
        ];
        const definition = defineEtcd(own, { name: `m${index}`, peerPort: peerPorts[index] ?? 0, cluster });
        return startMember(definition, { port: clientPorts[index] ?? 0, signal });
      });
      for (const server of servers) ids.push(BigInt((await statusOf(server)).id).toString(16));
      return clusterOf(servers, (member) => links.cutOff([member]), end);
    } catch (error) {
      await end();
      throw error;
    }
  });
}

function clusterOf(
  servers: readonly ServerHandle[],
  cutOff: (member: number) => () => void,
  end: () => Promise<void>,
): EtcdCluster {
  const leader = (): Promise<ServerHandle> =>
    eventually('a leader of a majority', async () => {
      const told = await Promise.all(servers.map((server) => statusOf(server).catch(() => undefined)));
      const all = told.filter((one) => one !== undefined).toSorted((a, b) => Number(b.term) - Number(a.term));
      const [latest] = all;
      const agree = all.filter((one) => one.leader === latest?.leader && one.term === latest.term);
      // The others still name it for a while after it was killed.
      const found = agree.find(({ id }) => id === latest?.leader);
      if (found === undefined || agree.length <= servers.length / 2) return undefined;
      return servers[told.indexOf(found)];
    });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= Promise.all(servers.map((server) => server.stop())).then(end));
  return {
    servers,
    url: `etcd://${servers.map(({ port }) => `${host}:${port}`).join(',')}`,
    leader,
    async followers() {
      const first = await leader();
      return servers.filter((server) => server !== first);
    },
    partition(member) {
      const index = servers.indexOf(member);
      if (index === -1) throw new Error(`the server at ${member.host}:${member.port} is no member of this cluster`);
      return cutOff(index);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
