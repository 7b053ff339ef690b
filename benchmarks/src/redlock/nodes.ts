import { startProxy, startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { connect } from '../redis/counting-client.ts';
import type { CommandCounter } from '../redis/counting-client.ts';

/** The number of nodes: a majority survives the loss of one. */
const size = 3;

/**
 * In ms, each direction. A round trip over such links is time on the network; on loopback it is
 * time of the processor, which clients and nodes share.
 */
export const linkDelay = 1;

/** Independent Redis servers. */
export interface Nodes extends AsyncDisposable {
  readonly urls: readonly string[];
  /** The same nodes over links that take `linkDelay` ms in each direction. */
  readonly farUrls: readonly string[];
  readonly servers: readonly ServerHandle[];
  readonly version: string;
  /** Empties all of them. */
  flush(): Promise<void>;
}

export async function startNodes(): Promise<Nodes> {
  const started = await Promise.allSettled(Array.from({ length: size }, () => startRedis()));
  const servers = started.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const stop = async (): Promise<void> => void (await Promise.all(servers.map((server) => server.stop())));
  const failed = started.find((start) => start.status === 'rejected');
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  const links = await Promise.all(servers.map(({ host, port }) => startProxy({ host, port })));
  for (const link of links) link.delay(linkDelay);
  const controls = servers.map(({ url }) => new Redis(url));
  const info = await controls[0]?.info('server');
  return {
    urls: servers.map(({ url }) => url),
    farUrls: servers.map(({ url }, node) => links[node]?.url(url) ?? url),
    servers,
    version: /redis_version:(\S+)/.exec(info ?? '')?.[1] ?? 'unknown',
    flush: async () => void (await Promise.all(controls.map((control) => control.flushall()))),
    async [Symbol.asyncDispose]() {
      for (const control of controls) control.disconnect();
      await Promise.all(links.map((link) => link.stop()));
      await stop();
    },
  };
}

/** A client of each node; `counter` counts what all of them send. */
export async function connectAll(urls: readonly string[], counter: CommandCounter): Promise<Redis[]> {
  return await Promise.all(urls.map(async (url) => (await connect(url, counter)).client));
}
