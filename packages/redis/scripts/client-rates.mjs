// Pairs of acquire and release per second over each client, beside the same client's own pairs of
// SET NX PX and DEL: `npm run client-rates --workspace @locks/redis`, after `npm run build`. It
// starts its own servers. Figures of one run can be compared with each other only.
import { createLocks } from '@locks/core';
import { createRedisProvider } from '@locks/redis';
import { startRedis, startRedisCluster, startRedisSentinel } from '@locks/test-servers';
import * as ioredis from 'ioredis';
import * as iovalkey from 'iovalkey';
import { createClient, createClientPool, createCluster, createSentinel } from 'redis';

const concurrency = 16;
const rounds = Number(process.env['ROUNDS'] ?? 3);
/** In ms, for each side of a round. */
const duration = Number(process.env['DURATION'] ?? 1_000);

/** A client with the interface of ioredis. */
function classic(client) {
  client.on('error', () => {});
  const raw = async (key) => {
    await client.set(key, 'v', 'PX', 30_000, 'NX');
    await client.del(key);
  };
  return { client, raw, close: () => client.disconnect() };
}

/** One of node-redis. */
async function modern(client) {
  client.on('error', () => {});
  await client.connect();
  const raw = async (key) => {
    await client.set(key, 'v', { PX: 30_000, NX: true });
    await client.del(key);
  };
  return { client, raw, close: () => client.destroy() };
}

function contestants(topology, { url, nodes, sentinels, name }) {
  const hosts = (nodes ?? sentinels ?? []).map(({ host, port }) => ({ host, port }));
  if (topology === 'Cluster') {
    return {
      'ioredis 6': () => classic(new ioredis.Cluster(hosts)),
      'iovalkey 0.4': () => classic(new iovalkey.Cluster(hosts)),
      'node-redis 6': () => modern(createCluster({ rootNodes: hosts.map((socket) => ({ socket })) })),
    };
  }
  if (topology === 'Sentinel') {
    return {
      'ioredis 6': () => classic(new ioredis.Redis({ sentinels: hosts, name })),
      'iovalkey 0.4': () => classic(new iovalkey.Redis({ sentinels: hosts, name })),
      'node-redis 6': () => modern(createSentinel({ name, sentinelRootNodes: hosts })),
    };
  }
  return {
    'ioredis 6': () => classic(new ioredis.Redis(url)),
    'iovalkey 0.4': () => classic(new iovalkey.Redis(url)),
    'node-redis 6': () => modern(createClient({ url })),
    'node-redis 6, a pool': () => modern(createClientPool({ url }, { maximum: 4 })),
  };
}

/** How often `pair` settles in a second. */
async function rate(pair) {
  let count = 0;
  const started = performance.now();
  const loop = async (name) => {
    while (performance.now() - started < duration) {
      await pair(name);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, (_, index) => loop(`rate-${index}`)));
  return (count * 1_000) / (performance.now() - started);
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

console.log('| client | servers | pairs/s | raw pairs/s | ratio |\n| --- | --- | --- | --- | --- |');
for (const [topology, start] of Object.entries({
  single: startRedis,
  Sentinel: startRedisSentinel,
  Cluster: startRedisCluster,
})) {
  const servers = await start();
  for (const [name, open] of Object.entries(contestants(topology, servers))) {
    const { client, raw, close } = await open();
    const provider = createRedisProvider(client);
    const locks = createLocks(provider);
    const ours = async (key) => void (await (await locks.acquire(key)).release());
    await Promise.all([ours('warm'), raw('raw')]);
    const [own, bare] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      bare.push(await rate(raw));
      own.push(await rate(ours));
    }
    const ratio = median(own.map((value, round) => value / bare[round]));
    const numbers = [Math.round(median(own)), Math.round(median(bare)), ratio.toFixed(2)];
    console.log(`| ${[name, topology, ...numbers].join(' | ')} |`);
    await locks.close();
    await provider.close();
    close();
  }
  await servers.stop();
}
