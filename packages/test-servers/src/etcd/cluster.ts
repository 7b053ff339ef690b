import { holdPort, startOnFreePorts } from '../server/ports.ts';
import type { ServerHandle } from '../server/handle.ts';
import { startMember } from '../start/start-member.ts';
import { startTogether } from '../start/start-together.ts';
import { eventually } from '../support/eventually.ts';
import { askEtcd } from './ask.ts';
import { defineEtcd } from './definition.ts';
import type { EtcdServerOptions } from './definition.ts';
import { linkMembers } from '../support/member-links.ts';
import { statusOf, within } from './status.ts';

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
  /**
   * Removes a member, and adds an empty one with its address. Needs a majority without it. Resolves
   * when the new one answers.
   */
  replace(member: ServerHandle): Promise<void>;
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
    const peerUrls = links.ports.map((port) => `http://${host}:${port}`);
    const peers = peerUrls.map((url, index) => `m${index}=${url}`).join(',');
    try {
      const servers = await startTogether(size, (index, signal) => {
        const cluster = (): readonly string[] => [
          ...['--initial-advertise-peer-urls', peerUrls[index] ?? '', '--initial-cluster', peers],
          // Read by members without data only.
          ...['--initial-cluster-state', ids.length === 0 ? 'new' : 'existing'],
        ];
        const definition = defineEtcd(own, { name: `m${index}`, peerPort: peerPorts[index] ?? 0, cluster });
        return startMember(definition, { port: clientPorts[index] ?? 0, signal });
      });
      for (const server of servers) ids.push(hexadecimal((await statusOf(server)).id));
      const replace = async (member: number): Promise<void> => {
        const server = servers[member];
        const others = servers.filter((one) => one !== server);
        await server?.kill();
        ids[member] = await newMembership(others, peerUrls[member] ?? '', ids[member] ?? '');
        await server?.restart({ keepData: false });
      };
      return clusterOf(servers, (member) => links.cutOff([member]), replace, end);
    } catch (error) {
      await end();
      throw error;
    }
  });
}

const hexadecimal = (id: string): string => BigInt(id).toString(16);

interface Members {
  readonly members: readonly { readonly ID: string; readonly peerURLs: readonly string[] }[];
}

/**
 * Ends the membership `old` of the member at `url`, and makes another, by asking `others`: they
 * refuse until they have a leader that has heard them all. Resolves to its id.
 */
async function newMembership(others: readonly ServerHandle[], url: string, old: string): Promise<string> {
  const next = async (server: ServerHandle): Promise<string | undefined> => {
    const { members } = await askEtcd<Members>(server, 'cluster/member/list', {}, { within });
    const id = members.find(({ peerURLs }) => peerURLs.includes(url))?.ID;
    if (id === undefined) await askEtcd(server, 'cluster/member/add', { peerURLs: [url] }, { within });
    else if (hexadecimal(id) === old) await askEtcd(server, 'cluster/member/remove', { ID: id }, { within });
    else return hexadecimal(id);
    return undefined;
  };
  return await eventually('another membership', async () => {
    const answers = await Promise.all(others.map((server) => next(server).catch(() => undefined)));
    return answers.find((id) => id !== undefined);
  });
}

function clusterOf(
  servers: readonly ServerHandle[],
  cutOff: (member: number) => () => void,
  replace: (member: number) => Promise<void>,
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
  const indexOf = (member: ServerHandle): number => {
    const index = servers.indexOf(member);
    if (index === -1) throw new Error(`the server at ${member.host}:${member.port} is no member of this cluster`);
    return index;
  };
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
    partition: (member) => cutOff(indexOf(member)),
    replace: async (member) => await replace(indexOf(member)),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
