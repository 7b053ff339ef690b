import { connectedProcesses } from '@locks/core/adapter';
import type { Check } from '@locks/core/adapter';
import type { DialectDiagnosis, Examined } from '../../dialect/diagnosis.ts';

/** A setting of this connection, in its base unit. */
async function setting({ rows }: Examined, name: string): Promise<string> {
  return await value({ rows }, `SELECT setting AS value FROM pg_settings WHERE name = '${name}'`);
}

/** The `value` of the only row, as text. */
async function value({ rows }: Pick<Examined, 'rows'>, sql: string): Promise<string> {
  const [row] = await rows(sql);
  // All values of Postgres are texts here.
  return (row?.['value'] ?? '') as string;
}

const checks: readonly Check<Examined>[] = [
  {
    name: 'fsync',
    async look(database) {
      if ((await setting(database, 'fsync')) === 'on') return { level: 'ok', what: 'fsync is on.' };
      return {
        level: 'problem',
        what: 'fsync is off: a power cut can destroy the database, with all locks and tokens.',
        advice: 'Set fsync = on.',
      };
    },
  },
  {
    name: 'synchronous-commit',
    async look(database) {
      const now = await setting(database, 'synchronous_commit');
      if (now !== 'off') return { level: 'ok', what: `Grants are on the disk when they are answered (${now}).` };
      return {
        level: 'warning',
        what: 'synchronous_commit is off: a crash of the server loses its latest grants, and others can get their keys.',
        advice: 'Set synchronous_commit = on for the user of the locks.',
      };
    },
  },
  {
    name: 'replication',
    async look(database) {
      const standbys = Number(await value(database, 'SELECT count(*) AS value FROM pg_stat_replication'));
      if (standbys === 0) return { level: 'ok', what: 'No standby is connected: nothing fails over.' };
      if ((await setting(database, 'synchronous_standby_names')) !== '') {
        return { level: 'ok', what: 'A standby has each grant before it is answered (synchronous_standby_names).' };
      }
      return {
        level: 'warning',
        what: 'Replication is asynchronous: a failover loses the latest grants.',
        advice: 'Set synchronous_standby_names, or check fencing tokens in what the locks protect.',
      };
    },
  },
  {
    name: 'processes',
    async look({ rows }) {
      const named = await rows(
        'SELECT application_name AS name FROM pg_stat_activity WHERE datname = current_database()',
      );
      return connectedProcesses(named.map(({ name }) => String(name)));
    },
  },
];

export const diagnosis: DialectDiagnosis = {
  checks,
  identity: async (database) => await value(database, 'SELECT system_identifier AS value FROM pg_control_system()'),
};
