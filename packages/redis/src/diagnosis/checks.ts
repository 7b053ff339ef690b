import { connectionsLeft, encryption, isLoopback } from '@locks/core/adapter';
import type { Check } from '@locks/core/adapter';
import { durability } from './durability.ts';
import type { Server } from './server.ts';

/** A server that is so full refuses work soon. */
const nearlyFull = 0.9;

/** What a server is asked. */
export const checks: readonly Check<Server>[] = [
  {
    name: 'version',
    async look({ info }) {
      const valkey = await info('valkey_version');
      return { level: 'ok', what: valkey === '' ? `Redis ${await info('redis_version')}.` : `Valkey ${valkey}.` };
    },
  },
  {
    name: 'role',
    async look({ info }) {
      if ((await info('role')) !== 'slave') return { level: 'ok', what: 'The server is a master.' };
      return {
        level: 'problem',
        what: 'The server is a replica, which refuses locks.',
        advice: 'Name its master, or Sentinels that know it (redis+sentinel://).',
      };
    },
  },
  {
    name: 'cluster',
    async look({ use, count }) {
      const clustered = (await count('cluster_enabled')) === 1;
      if (clustered === (use.kind === 'cluster')) return undefined;
      return {
        level: 'problem',
        what: 'The server is a node of a Cluster, and the client takes it for one server: most keys are refused.',
        advice: 'Write redis+cluster:// in place of redis://.',
      };
    },
  },
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
  {
    name: 'memory',
    async look({ count }) {
      const [most, used] = [await count('maxmemory'), await count('used_memory')];
      if (most === 0) return { level: 'ok', what: 'Redis has no limit of memory (maxmemory is 0).' };
      const part = `${Math.round((100 * used) / most)} % of maxmemory are used`;
      if (used < nearlyFull * most) return { level: 'ok', what: `${part}.` };
      return {
        level: 'warning',
        what: `${part}: a full Redis refuses new locks.`,
        advice: 'Raise maxmemory, or remove keys.',
      };
    },
  },
  ...durability,
  {
    name: 'connections',
    async look({ count }) {
      const advice = 'Raise maxclients, or look for what keeps so many connections.';
      return connectionsLeft(await count('connected_clients'), await count('maxclients'), advice);
    },
  },
  {
    name: 'idle-timeout',
    async look({ setting }) {
      const seconds = Number(await setting('timeout'));
      if (seconds === 0 || seconds >= 60) return { level: 'ok', what: 'Idle connections stay open.' };
      return {
        level: 'warning',
        what: `Redis ends connections that are idle for ${seconds} s: the next call opens another one, and may fail.`,
        advice: 'Set timeout to 0, or to 60 at least.',
      };
    },
  },
  {
    name: 'password',
    async look({ use: { identified, host }, isOpen }) {
      const open = await isOpen().catch(() => !identified);
      if (!open) return { level: 'ok', what: 'The server asks for a password, or a certificate.' };
      return {
        level: isLoopback(host) ? 'note' : 'warning',
        what: 'The server asks for no password: whatever reaches it can release locks.',
        advice: 'Set requirepass, or an ACL user for the locks.',
      };
    },
  },
  {
    name: 'tls',
    look: ({ use: { host, secure } }) => encryption(host, secure, 'Write rediss: in place of redis:.'),
  },
];
