import { Network } from 'testcontainers';
import { startContainer } from '../../start/container.ts';
import { type ServerHandle, createHandle } from '../../server/handle.ts';
import { defineZookeeper } from '../definition.ts';
import { type ZookeeperEnsembleOptions, patienceOf } from './ensemble-settings.ts';
import { startTogether } from '../../start/start-together.ts';
import type { Members } from './members.ts';
import { clientPort } from '../probe.ts';

/** Starts `size` voting members, and then `observers`, as containers on a separate network. */
export async function startContainerMembers(
  options: ZookeeperEnsembleOptions,
  image: string,
  size: number,
  observers: number,
): Promise<Members> {
  if (options.partitions === true)
    throw new Error('"partitions" is true, which only local processes can be: unset LOCKS_TEST_SERVERS');
  const { initLimit, syncLimit } = patienceOf(options);
  const names = Array.from({ length: size + observers }, (_, index) => `member-${index + 1}`);
  const lines = names.map((name, index) => {
    const role = index < size ? 'participant' : 'observer';
    return `server.${index + 1}=${name}:2888:3888:${role};${clientPort}`;
  });
  // Where a member is, and whether it exists, changes soon.
  const lookUps = { 'sun.net.inetaddr.ttl': '1', 'sun.net.inetaddr.negative.ttl': '0' };
  const settings = { ...options, javaProperties: { ...lookUps, ...options.javaProperties } };
  const network = await new Network().start();
  let stopped: Promise<unknown> | undefined;

  async function stop(servers: readonly ServerHandle[]): Promise<void> {
    await Promise.all(servers.map((server) => server.stop()));
    stopped ??= network.stop();
    await stopped;
  }

  try {
    const servers = await startTogether(names.length, async (index) => {
      const environment = {
        ZOO_MY_ID: `${index + 1}`,
        ZOO_SERVERS: lines.join(' '),
        ZOO_INIT_LIMIT: initLimit,
        ZOO_SYNC_LIMIT: syncLimit,
      };
      const containerNetwork = { network: network.getName(), alias: `member-${index + 1}` };
      const definition = { ...defineZookeeper(settings, { environment }), containerNetwork };
      return createHandle(await startContainer(definition, image));
    });
    return { servers, links: noLinks, stop: () => stop(servers) };
  } catch (error) {
    await stop([]);
    throw error;
  }
}

function noLinks(): never {
  throw new Error('a container cannot be cut off from others: unset LOCKS_TEST_SERVERS to use local processes');
}
