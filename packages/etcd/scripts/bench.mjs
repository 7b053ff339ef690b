// Figures beside the raw calls and `etcdctl lock`, in one run:
// npm run bench --workspace @locks/etcd [-- --members 3]
// It needs etcdctl (Debian: etcd-client).
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { createLocks } from '@locks/core';
import { createDeadline, systemRuntime } from '@locks/core/adapter';
import { startEtcd, startEtcdCluster } from '@locks/test-servers';
import { createEtcdProvider } from '../dist/index.js';
import { Members } from '../dist/connection/members.js';
import { leaseGrant, txn } from '../dist/wire/calls.js';

const rounds = Number(process.env['LOCKS_BENCH_ROUNDS'] ?? 5);
const slice = 1_000;

const { values } = parseArgs({ options: { members: { type: 'string', default: '1' } } });
const size = Number(values.members);
const cluster = size > 1 ? await startEtcdCluster({ size }) : await startEtcd();
const servers = size > 1 ? cluster.servers : [cluster];
const provider = await createEtcdProvider({ url: cluster.url });
const locks = createLocks(provider);
const raw = await rawClient();

console.log(
  `etcd ${(await run('etcd', ['--version'])).split('\n')[0].split(' ').at(-1)}, node ${process.version}, ${size} members, ${rounds} rounds`,
);
await table('pairs/s, one at a time', 1, { 'raw calls': raw.pair, '@locks': ours, 'etcdctl lock': byCommand });
await table('pairs/s, 50 keys at once', 50, { 'raw calls': raw.pair, '@locks': ours });
await handOvers();

await locks.close();
await provider.close();
raw.members.close(new Error('over'));
await cluster.stop();

/** A put if absent under one lease for all keys, and a delete: what etcd's own locks send. */
async function rawClient() {
  const deadline = createDeadline(systemRuntime, 5_000, 'etcd');
  const secrets = { tls: async () => undefined, credentials: async () => undefined };
  const members = new Members({ hosts: servers, secrets, deadline, runtime: systemRuntime });
  const { ID } = await members.call(leaseGrant, { TTL: 3_600 }, 'a lease');
  async function pair(name) {
    const key = Buffer.from(`raw/${name}`);
    const compare = [{ key, target: 1, result: 0, createRevision: '0' }];
    const put = { requestPut: { key, value: Buffer.alloc(0), lease: ID } };
    await members.call(txn, { compare, success: [put], failure: [] }, 'a put');
    await members.call(txn, { compare: [], success: [{ requestDeleteRange: { key } }], failure: [] }, 'a delete');
  }
  return { members, pair };
}

async function ours(name) {
  const lease = await locks.acquire(`ours/${name}`);
  await lease.release();
}

async function byCommand(name) {
  await run('etcdctl', ['lock', `command/${name}`, 'true']);
}

function run(program, args) {
  const env = { ...process.env, ETCDCTL_API: '3', ETCDCTL_ENDPOINTS: cluster.url.slice('etcd://'.length) };
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.on('data', (piece) => (text += piece));
    child.once('error', reject);
    child.once('close', () => resolve(text));
  });
}

/** The subjects take turns, so that the load of the machine is the same for all. */
async function table(title, concurrency, subjects) {
  const rates = new Map(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, pair] of Object.entries(subjects)) {
      const began = performance.now();
      let pairs = 0;
      const work = async (_, index) => {
        while (performance.now() - began < slice) {
          await pair(`${round}-${index}`);
          pairs++;
        }
      };
      await Promise.all(Array.from({ length: concurrency }, work));
      rates.get(name).push((pairs / (performance.now() - began)) * 1_000);
    }
  }
  console.log(title);
  for (const [name, all] of rates) console.log(`  ${name.padEnd(14)} ${show(all)}`);
}

/** From the end of one hold to the begin of the next one, with ten that wait. */
async function handOvers() {
  const gaps = { '@locks': [], 'etcdctl lock': [] };
  for (let round = 0; round < rounds; round++) {
    let ended;
    const turn = () =>
      locks.withLock('hand-over', () => {
        if (ended !== undefined) gaps['@locks'].push(performance.now() - ended);
        queueMicrotask(() => (ended = performance.now()));
      });
    await Promise.all(Array.from({ length: 10 }, turn));
    // Each holds until it has told the time.
    const times = await Promise.all(
      Array.from({ length: 10 }, () => run('etcdctl', ['lock', 'hand-over', 'date', '+%s%N'])),
    );
    const sorted = times.map((text) => Number(BigInt(text.trim()) / 1_000n) / 1_000).toSorted((a, b) => a - b);
    for (const [index, time] of sorted.entries()) if (index > 0) gaps['etcdctl lock'].push(time - sorted[index - 1]);
  }
  console.log('hand-over in ms, ten in the queue (etcdctl: with the start of `date`)');
  for (const [name, all] of Object.entries(gaps)) console.log(`  ${name.padEnd(14)} ${show(all)}`);
}

function show(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (part) => sorted[Math.floor((sorted.length - 1) * part)].toFixed(1);
  return `median ${at(0.5)} (${at(0)} to ${at(1)})`;
}
