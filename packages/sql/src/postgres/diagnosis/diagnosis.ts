import { connectionsLeft, encryption } from '@locks/core/adapter';
import type { Check } from '@locks/core/adapter';
import type { DialectDiagnosis, Examined } from '../../dialect/diagnosis.ts';
import type { PgSession } from '../connection/connection.ts';

/** A setting as this connection has it, in its base unit. */
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
    name: 'version',
    look: async (database) => ({ level: 'ok', what: `Postgres ${await setting(database, 'server_version')}.` }),
  },
  {
    name: 'role',
    async look(database) {
      if ((await value(database, 'SELECT pg_is_in_recovery()::text AS value')) !== 'true') {
        return { level: 'ok', what: 'The server is a primary.' };
      }
      return {
        level: 'problem',
        what: 'The server is a standby, which refuses locks.',
        advice: 'Name its primary.',
      };
    },
  },
  {
    name: 'read-only',
    async look(database) {
      if ((await setting(database, 'default_transaction_read_only')) !== 'on') return undefined;
      return {
        level: 'problem',
        what: 'default_transaction_read_only is on for this user or database, and a lock is a write.',
        advice: 'Turn it off (ALTER ROLE … SET default_transaction_read_only = off), or name another user.',
      };
    },
  },
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
        what: 'synchronous_commit is off: a crash of the server takes its latest grants, which others get again.',
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
        what: 'Standbys follow later: a failover forgets the latest grants.',
        advice: 'Set synchronous_standby_names, or check fencing tokens in what the locks protect.',
      };
    },
  },
  {
    name: 'connections',
    async look({ rows, pool, listen }) {
      const [row] = await rows(
        `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most,
          (SELECT sum(numbackends) FROM pg_stat_database) AS used,
          (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) AS own`,
      );
      const [most, used, own] = [Number(row?.['most']), Number(row?.['used']), Number(row?.['own'] ?? -1)];
      const wanted = pool + (listen ? 1 : 0);
      if (own >= 0 && own < wanted) {
        return {
          level: 'warning',
          what: `The user may have ${own} connections, and one process opens up to ${wanted}.`,
          advice: 'Raise its CONNECTION LIMIT, or lower option pool.',
        };
      }
      return connectionsLeft(used, most, 'Raise max_connections, lower option pool, or have a pooler.');
    },
  },
  {
    name: 'pooler',
    async look(database) {
      const { processID } = database.connection as Partial<PgSession>;
      if (processID === undefined || processID === null) return undefined;
      if (Number(await value(database, 'SELECT pg_backend_pid() AS value')) === processID) {
        return { level: 'ok', what: 'No pooler is between this host and the server.' };
      }
      const what = 'A pooler lends the connections: LISTEN does not reach through it, and waiters poll.';
      if (!database.listen) return { level: 'note', what };
      return { level: 'warning', what, advice: 'Set option listen to false, or name the server itself.' };
    },
  },
  {
    name: 'idle-timeout',
    async look(database) {
      const ms = Number(await setting(database, 'idle_session_timeout'));
      if (ms === 0 || ms >= 60_000) return { level: 'ok', what: 'Idle connections stay open.' };
      return {
        level: 'warning',
        what: `idle_session_timeout is ${ms} ms: waiters lose the connection that listens, and open it again.`,
        advice: 'Set it to 0 for the user of the locks.',
      };
    },
  },
  {
    name: 'autovacuum',
    async look(database) {
      if ((await setting(database, 'autovacuum')) === 'on') return { level: 'ok', what: 'autovacuum is on.' };
      return {
        level: 'warning',
        what: 'autovacuum is off: the rows of locks that are over stay, and each call takes longer.',
        advice: 'Set autovacuum = on.',
      };
    },
  },
  {
    name: 'tls',
    async look(database) {
      const secure = await value(database, 'SELECT ssl::text AS value FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
      return encryption(database.host, secure === 'true', 'Set option sslmode to verify-full.');
    },
  },
];

export const diagnosis: DialectDiagnosis = {
  checks,
  identity: async (database) => await value(database, 'SELECT system_identifier AS value FROM pg_control_system()'),
};
