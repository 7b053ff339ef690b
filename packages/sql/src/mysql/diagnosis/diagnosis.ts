import { connectedProcesses } from '@locks/core/adapter';
import type { Check } from '@locks/core/adapter';
import type { DialectDiagnosis, Examined } from '../../dialect/diagnosis.ts';
import { textOf } from '../connection/session.ts';

/** The value of `SHOW … LIKE`; empty for an unknown variable. */
async function shown({ rows }: Examined, kind: string, name: string): Promise<string> {
  const [row] = await rows(`SHOW ${kind} LIKE '${name}'`);
  return row === undefined ? '' : textOf(row['Value']);
}

const checks: readonly Check<Examined>[] = [
  {
    name: 'flush-log',
    async look(database) {
      const now = await shown(database, 'GLOBAL VARIABLES', 'innodb_flush_log_at_trx_commit');
      if (now === '1') return { level: 'ok', what: 'Grants are on the disk when they are answered.' };
      return {
        level: 'warning',
        what: `innodb_flush_log_at_trx_commit is ${now}: a crash loses the grants of the last second, and others can get their keys.`,
        advice: 'Set innodb_flush_log_at_trx_commit = 1.',
      };
    },
  },
  {
    name: 'replication',
    async look(database) {
      const [row] = await database.rows(
        "SELECT count(*) AS replicas FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'",
      );
      if (Number(row?.['replicas']) === 0) return { level: 'ok', what: 'No replica was found: nothing fails over.' };
      for (const name of ['master', 'source']) {
        if ((await shown(database, 'GLOBAL VARIABLES', `rpl_semi_sync_${name}_enabled`)) === 'ON') {
          return { level: 'ok', what: 'A replica has each grant before it is answered (semi-synchronous).' };
        }
      }
      return {
        level: 'warning',
        what: 'Replication is asynchronous: a failover loses the latest grants.',
        advice: 'Turn semi-synchronous replication on, or check fencing tokens in what the locks protect.',
      };
    },
  },
  {
    name: 'several-primaries',
    async look(database) {
      if ((await shown(database, 'GLOBAL VARIABLES', 'wsrep_on')) !== 'ON') return undefined;
      return {
        level: 'warning',
        what: 'The server is a node of a Galera cluster, with which locks are not tested.',
        advice: 'Send all locks to one of its nodes.',
      };
    },
  },
  {
    name: 'processes',
    async look(database) {
      if ((await shown(database, 'GLOBAL VARIABLES', 'performance_schema')) !== 'ON') {
        throw new Error('performance_schema is off');
      }
      // Each user may read the other table, which has only the connections of that user.
      const read = async (table: string): Promise<readonly string[]> => {
        const attributes = `performance_schema.${table}`;
        const rows = await database.rows(
          `SELECT attr_value AS name FROM ${attributes} WHERE attr_name = 'program_name'`,
        );
        return rows.map(({ name }) => textOf(name));
      };
      const names = await read('session_connect_attrs').catch(() => read('session_account_connect_attrs'));
      return connectedProcesses(names);
    },
  },
];

export const diagnosis: DialectDiagnosis = {
  checks,
  async identity(database) {
    const [row] = await database.rows('SELECT @@hostname AS host, @@port AS port, @@datadir AS folder');
    return [row?.['host'], row?.['port'], row?.['folder']].map(textOf).join(' ');
  },
};
