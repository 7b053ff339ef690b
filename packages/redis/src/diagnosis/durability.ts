import type { Check } from '@locks/core/adapter';
import type { Server } from './server.ts';

const guard = 'option restartGuard with the longest ttl of your locks';

/** Whether locks survive a restart and a failover. */
export const durability: readonly Check<Server>[] = [
  {
    name: 'persistence',
    async look({ use, count, setting }) {
      if (use.restartGuard !== undefined) {
        return { level: 'ok', what: `After a restart nothing is granted for ${use.restartGuard} ms (restartGuard).` };
      }
      const or = use.kind === 'cluster' ? '' : `, or ${guard}`;
      const advice = `Set appendonly yes${or}.`;
      if ((await count('aof_enabled')) === 0) {
        // Even if this cannot be asked, a restart loses locks.
        const saves = await setting('save').catch(() => undefined);
        const what = saves ? 'forgets the locks since its last snapshot' : 'forgets locks';
        return { level: 'warning', what: `A restart of Redis ${what}: two processes can hold one key then.`, advice };
      }
      const fsync = await setting('appendfsync');
      if (fsync === 'always') return { level: 'ok', what: 'Locks outlive a restart and a power cut.' };
      const ok = 'Locks outlive a restart of Redis';
      if (fsync === 'everysec') {
        return { level: 'ok', what: `${ok}; a power cut takes those of the last two seconds (appendfsync everysec).` };
      }
      const what = `${ok}; a power cut takes those of the last 30 seconds (appendfsync ${fsync}).`;
      return { level: 'warning', what, advice: `Set appendfsync everysec${or}.` };
    },
  },
  {
    name: 'replication',
    async look({ use: { kind, minReplicas, restartGuard }, count }) {
      const replicas = await count('connected_slaves');
      if (replicas === 0) return { level: 'ok', what: 'No replicas: nothing fails over.' };
      const counted = `${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`;
      if (minReplicas !== undefined || restartGuard !== undefined) {
        const by = minReplicas === undefined ? 'restartGuard' : `minReplicas ${minReplicas}`;
        return { level: 'ok', what: `${counted}, and a failover is covered by option ${by}.` };
      }
      const or = kind === 'cluster' ? '' : `, or ${guard}`;
      return {
        level: 'warning',
        what: `${counted}: a failover forgets the grants that a replica does not have yet.`,
        advice: `Set option minReplicas to 1${or}.`,
      };
    },
  },
];
