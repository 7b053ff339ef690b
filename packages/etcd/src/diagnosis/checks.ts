import { encryption, isLoopback, majority } from '@locks/core/adapter';
import type { Check } from '@locks/core/adapter';
import { namesOf } from './cluster.ts';
import type { Cluster } from './cluster.ts';

/** etcd's own limit, where none is set; before 3.6 a member does not tell another one. In bytes. */
const usualQuota = 2 * 1024 ** 3;
/** A database that is so full refuses writes soon. */
const nearlyFull = 0.8;

const alarmNames = ['none', 'NOSPACE', 'CORRUPT'];

/** What a cluster is asked. */
export const checks: readonly Check<Cluster>[] = [
  {
    name: 'version',
    look({ named }) {
      const versions = new Set(named.flatMap(({ status }) => status?.version ?? []));
      return { level: 'ok', what: `etcd ${[...versions].join(' and ')}.` };
    },
  },
  {
    name: 'members',
    async look({ list }) {
      const voters = (await list()).members.filter(({ isLearner }) => !isLearner).length;
      if (voters > 1) return majority(voters, 'members');
      return {
        level: 'warning',
        what: 'One member runs alone: while it is down, nothing gets a lock, and holders lose theirs.',
        advice: 'Run a cluster of three members.',
      };
    },
  },
  {
    name: 'addresses',
    async look({ named, list }) {
      const { members } = await list();
      if (named.length > 1 || members.length < 2) return undefined;
      return {
        level: 'warning',
        what: `The configuration names one member of ${members.length}: while that is down, this process gets no lock.`,
        advice: 'Name all members.',
      };
    },
  },
  {
    name: 'silent-members',
    look({ named }) {
      const silent = named.filter(({ status }) => status === undefined);
      if (silent.length === 0) return { level: 'ok', what: 'All members of the configuration answer.' };
      return {
        level: 'warning',
        what: `${namesOf(silent)} does not answer.`,
        advice: 'Start it, or take it out of the configuration.',
      };
    },
  },
  {
    name: 'leader',
    look({ named }) {
      const without = named.filter(({ status }) => status?.leader === '0');
      if (without.length === 0) return undefined;
      return {
        level: 'problem',
        what: `${namesOf(without)} knows no leader, and refuses locks.`,
        advice: 'Start the other members, and look at the network between them.',
      };
    },
  },
  {
    name: 'alarms',
    async look(cluster) {
      const raised = new Set((await cluster.alarms()).alarms.map(({ alarm }) => alarmNames[alarm] ?? String(alarm)));
      if (raised.size === 0) return { level: 'ok', what: 'No alarm is raised.' };
      const full = raised.has('NOSPACE');
      return {
        level: 'problem',
        what: `etcd has raised ${[...raised].join(', ')}${full ? ': it refuses locks' : ''}.`,
        advice: full
          ? 'Compact and defragment it, then run: etcdctl alarm disarm'
          : 'Replace the member that etcdctl alarm list names.',
      };
    },
  },
  {
    name: 'size',
    look({ named }) {
      for (const { status } of named) {
        if (status === undefined) continue;
        const quota = Number(status.dbSizeQuota) || usualQuota;
        if (Number(status.dbSize) < nearlyFull * quota) continue;
        const full = Math.round((100 * Number(status.dbSize)) / quota);
        return {
          level: 'warning',
          what: `A database is filled to ${full} %: a full etcd refuses locks (NOSPACE).`,
          advice: 'Turn auto-compaction on, and defragment it, or raise --quota-backend-bytes.',
        };
      }
      const told = named.every(({ status }) => status === undefined || Number(status.dbSizeQuota) > 0);
      return { level: 'ok', what: told ? 'The database has room.' : 'The database has room, if its limit is 2 GiB.' };
    },
  },
  {
    name: 'password',
    look({ user, named }) {
      if (user === 'checked' || user === 'certificate') {
        return { level: 'ok', what: 'The connection shows who it is.' };
      }
      const what =
        user === 'ignored'
          ? 'etcd does not check users, though the configuration has one: whatever reaches it can release locks.'
          : 'etcd asks for no user: whatever reaches it can release locks.';
      const local = named.every(({ host }) => isLoopback(host.host));
      return {
        level: local && user === 'none' ? 'note' : 'warning',
        what,
        advice: 'Run etcdctl auth enable, with a user for the locks.',
      };
    },
  },
  {
    name: 'tls',
    look({ named, secure }) {
      const far = named.find(({ host }) => !isLoopback(host.host));
      return encryption(far?.host.host ?? 'localhost', secure, 'Write etcds: in place of etcd:.');
    },
  },
];
