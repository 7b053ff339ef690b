import { runChecks, connectedProcesses } from '@locks/core/adapter';
import type { AdapterConfig, Diagnosis, Finding, Check } from '@locks/core/adapter';
import { openFromConfig } from '../config.ts';
import { isCluster } from '../wire/servers.ts';
import { serverOf } from './server.ts';
import type { Server } from './server.ts';
import { durability } from './durability.ts';

/** The checks of a server: settings that let two processes hold one key. */
const checks: readonly Check<Server>[] = [
  {
    name: 'eviction',
    async look({ info, count, setting }) {
      const policy = (await info('maxmemory_policy')) || (await setting('maxmemory-policy'));
      const evicted = await count('evicted_keys');
      if (policy === 'noeviction') {
        return { level: 'ok', what: 'Redis evicts no keys: maxmemory-policy is noeviction.' };
      }
      const advice = 'Set maxmemory-policy to noeviction, or use a separate Redis for locks.';
      if ((await count('maxmemory')) === 0) {
        const what = `maxmemory-policy is ${policy}: with a limit of memory, Redis would remove locks that are held.`;
        return { level: 'note', what, advice };
      }
      const so = evicted === 0 ? '' : `, and ${evicted} keys were removed since it started`;
      const what = `maxmemory-policy is ${policy}: a full Redis removes locks that are held${so}.`;
      return { level: 'problem', what, advice };
    },
  },
  ...durability,
  { name: 'processes', look: async ({ names }) => connectedProcesses(await names()) },
];

/** Examines the server of `config`, or the masters of its Cluster. */
export async function diagnose(config: AdapterConfig): Promise<Diagnosis> {
  const { client, close, target, options } = await openFromConfig(config);
  try {
    const use = { ...options, kind: target.kind };
    const clients = isCluster(client) ? client.nodes('master') : [client];
    const servers = clients.map((one) => serverOf(one, use));
    const run = { backend: 'Redis', within: options.timeout ?? 5_000, runtime: config.runtime };
    const all = await Promise.all(servers.map(async (server) => await runChecks(checks, server, run)));
    return { findings: distinct(all.flat()), server: await identity(servers) };
  } finally {
    close();
  }
}

/** Identical findings of several nodes are reported once. */
function distinct(findings: readonly Finding[]): readonly Finding[] {
  const same = (a: Finding, b: Finding): boolean => a.check === b.check && a.what === b.what;
  return findings.filter((one, index) => findings.findIndex((other) => same(one, other)) === index);
}

async function identity(servers: readonly Server[]): Promise<string | undefined> {
  const ids = await Promise.all(servers.map(async ({ info }) => await info('run_id').catch(() => '')));
  return ids.includes('') ? undefined : ids.toSorted().join(' ');
}
