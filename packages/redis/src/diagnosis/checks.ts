import { connectedProcesses } from '@locks/core/adapter';
import type { Check } from '@locks/core/adapter';
import { durability } from './durability.ts';
import type { Server } from './server.ts';

/** What a server is asked: settings by which two processes can hold one key. */
export const checks: readonly Check<Server>[] = [
  {
    name: 'eviction',
    async look({ info, count, setting }) {
      const policy = (await info('maxmemory_policy')) || (await setting('maxmemory-policy'));
      const evicted = await count('evicted_keys');
      if (policy === 'noeviction') {
        return { level: 'ok', what: 'Redis evicts no keys: maxmemory-policy is noeviction.' };
      }
      const advice = 'Set maxmemory-policy to noeviction, or give the locks a Redis of their own.';
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
