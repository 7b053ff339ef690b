import { type ServerHandle, createHandle } from '../../server/handle.ts';
import { startLocally } from '../../local/local-process.ts';
import { holdPort, startOnFreePorts } from '../../server/ports.ts';
import { defineZookeeper } from '../definition.ts';
import { type MemberAddress, type ZookeeperEnsembleOptions, ensembleSettings } from './ensemble-settings.ts';
import { startTogether } from '../../start/start-together.ts';
import type { Members } from './members.ts';
import { type PeerLinks, linkMembers } from './peer-links.ts';

const host = '127.0.0.1';

/** Starts `size` voting members, and then `observers`, as child processes. */
export function startLocalMembers(
  options: ZookeeperEnsembleOptions,
  size: number,
  observers: number,
): Promise<Members> {
  const count = size + observers;
  return startOnFreePorts(host, 3 * count, async (ports) => {
    const clientPorts = ports.slice(0, count);
    const addresses = clientPorts.map((_, index): MemberAddress => {
      const [quorumPort = 0, electionPort = 0] = ports.slice(count + 2 * index);
      return { host, quorumPort, electionPort, observer: index >= size };
    });
    const holds = await Promise.all(ports.slice(count).map((port) => holdPort(host, port)));
    const letGo = (): void => {
      for (const end of holds) end();
    };
    const links = options.partitions === true ? await linkMembers(addresses) : undefined;
    try {
      const servers = await startTogether(count, async (index, signal) => {
        const settings = ensembleSettings(options, links?.seenBy(index) ?? addresses, index);
        const definition = defineZookeeper(options, { settings: () => settings, member: index + 1 });
        return createHandle(await startLocally(definition, { port: clientPorts[index], signal }));
      });
      return membersOf(servers, links, letGo);
    } catch (error) {
      letGo();
      await links?.stop();
      throw error;
    }
  });
}

function membersOf(servers: readonly ServerHandle[], links: PeerLinks | undefined, letGoOfPorts: () => void): Members {
  return {
    servers,
    links() {
      if (links !== undefined) return links;
      throw new Error('the members are connected directly: start the ensemble with "partitions: true"');
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
      await links?.stop();
      letGoOfPorts();
    },
  };
}
