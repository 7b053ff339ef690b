import { Cluster } from 'ioredis';
import type { Redis } from 'ioredis';
import { CommandCounter } from '../counting-client.ts';

const scheme = 'redis+cluster://';

/** Whether `url` names nodes of a Cluster. */
export function isClusterUrl(url: string): boolean {
  return url.startsWith(scheme);
}

/**
 * A connected Cluster client, and what it, its nodes and their duplicates have sent, including
 * requests for the slots.
 */
export async function connectCluster(url: string): Promise<{ client: Cluster; counter: CommandCounter }> {
  const counter = new CommandCounter();
  const hosts = url.slice(scheme.length).split(',');
  const nodes = hosts.map((host) => ({ host: host.split(':')[0], port: Number(host.split(':')[1]) }));
  const client = new Cluster(nodes, { lazyConnect: true, retryDelayOnFailover: 0 });
  client.on('+node', (node: Redis) => void counted(node, counter));
  await client.connect();
  await Promise.all(client.nodes('master').map((node) => node.ping()));
  counter.reset();
  return { client, counter };
}

/** The client of a node, which counts from now on. */
function counted(node: Redis, counter: CommandCounter): Redis {
  const send = node.sendCommand.bind(node);
  const duplicate = node.duplicate.bind(node);
  return Object.assign(node, {
    sendCommand(...args: Parameters<Redis['sendCommand']>) {
      counter.add(args[0].name, args[0].promise);
      return send(...args);
    },
    duplicate: (...args: Parameters<Redis['duplicate']>) => counted(duplicate(...args), counter),
  });
}
