import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis-5';
import { Redis as Valkey } from 'iovalkey';
import { eventually, startRedis } from '@locks/test-servers';
import { inject, onTestFinished } from 'vitest';
import type { RedisClient } from '../../src/index.ts';

export { collect, eventually, untilAnswered } from '@locks/test-servers';

/** The clients with the interface of ioredis, for tests that run with each. */
export const clients = [
  ['ioredis 6', (url: string, options: object = {}): Redis => new Redis(url, options)],
  // Each has types of its own; client.test.ts shows that all fit.
  ['ioredis 5', (url: string, options: object = {}): Redis => new Redis5(url, options) as unknown as Redis],
  ['iovalkey', (url: string, options: object = {}): Redis => new Valkey(url, options) as unknown as Redis],
] as const;

/** A client of the shared server that ends with the test. */
export function connect(options: object = {}, url: string = inject('redisUrl')): Redis {
  return closeAfterTest(new Redis(url, options));
}

/** A Cluster of one node that ends with the test, ready. Gives the URL of its node. */
export async function clusterOfOne(): Promise<string> {
  const server = await startRedis({ args: ['--cluster-enabled', 'yes'] });
  onTestFinished(() => server.stop());
  const node = connect({}, server.url);
  await node.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
  await eventually('the cluster to be ready', async () =>
    String(await node.call('CLUSTER', 'INFO')).includes('cluster_state:ok'),
  );
  return server.url;
}

/** Ends `client` when the test is over, whatever its state. */
export function closeAfterTest<
  Client extends { disconnect(): void; on(event: 'error', listener: () => void): unknown },
>(client: Client): Client {
  // Some tests cut its connection; that is theirs to judge.
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

/** `client`, whose copies that listen are made by `duplicate`. */
export function withCopies(client: Redis, duplicate: RedisClient['duplicate']): RedisClient {
  return {
    evalsha: (...args) => client.evalsha(...args),
    eval: (...args) => client.eval(...args),
    scan: (...args) => client.scan(...args),
    ping: () => client.ping(),
    info: (section) => client.info(section),
    duplicate,
    get status() {
      return client.status;
    },
    get stream() {
      return client.stream;
    },
  };
}

/** A prefix that no other test has. */
export function ownPrefix(): string {
  return `test-${randomUUID()}:`;
}
