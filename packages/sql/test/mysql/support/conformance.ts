import { requirements } from '@locks/conformance';
import type { LeakCounts, Need } from '@locks/conformance';
import { conformanceTests } from '@locks/conformance/vitest';
import type { LockProvider } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { createPool } from 'mysql2/promise';
import type { RowDataPacket } from 'mysql2/promise';
import { afterAll } from 'vitest';
import { createSqlProvider, fromConfig } from '../../../src/index.ts';
import type { SqlOptions } from '../../../src/index.ts';
import { closing } from '../../support/waiting.ts';
import { createTables, named, openKnex, openTo, startServer, withClient } from './database.ts';
import { breakable } from './faults.ts';

// Each file of this folder has a server of its own: they run beside each other, and break it.
const server = await startServer();
const url = await openTo(server);
const observer = createPool({ uri: server.url, connectionLimit: 1 });
afterAll(async () => {
  await observer.end();
  await server.stop();
});

/** Makes the provider on the server at `address`. */
export type Make = (address: string, options: SqlOptions) => LockProvider | Promise<LockProvider>;

/** Registers the suite: all of it, or those that `only` names. */
export async function suite(name: string, make: Make, options: SqlOptions, only?: readonly string[]): Promise<void> {
  const names = { table: options.table ?? 'locks', schema: options.schema };
  const prepare = async (): Promise<void> => {
    await openTo(server);
    await createTables(url, names);
  };
  const forget = async (): Promise<void> => {
    const database = names.schema ?? new URL(url).pathname.slice(1);
    await withClient(server.url, (client) => client.query(`DROP DATABASE \`${database}\``));
  };
  await prepare();
  // Places in line that last shorter than by default: several requirements wait for one to lapse. And a shorter deadline: each
  // call to a server that says nothing takes this long.
  const all = { timeout: 2_000, waiterTtl: 3_000, ...options };
  const { create, faults } = breakable(server, url, forget, prepare, (address) => make(address, all));

  /** What a provider may leave: rows of keys that nobody holds, and nothing else. */
  async function left(): Promise<LeakCounts> {
    // What has lapsed stays until somebody asks for its key, or the sweep comes.
    await observer.query(named('CALL `locks_sweep`(0, 1000)', names));
    const counts = named(
      `SELECT (SELECT count(*) FROM information_schema.processlist WHERE user = 'everybody') AS connections,
        (SELECT count(*) FROM \`locks_line\`) AS line,
        (SELECT count(*) FROM \`locks_shares\`) AS shares,
        (SELECT count(*) FROM \`locks\` WHERE GREATEST(COALESCE(held_until, 0), COALESCE(line_until, 0)) > UNIX_TIMESTAMP(NOW(6)) * 1000000) AS used`,
      names,
    );
    const [rows] = await observer.query<(RowDataPacket & Record<string, number>)[]>(counts);
    return { ...rows[0] };
  }

  conformanceTests({
    name,
    create,
    faults,
    processes: { module: new URL('process.mjs', import.meta.url), args: { url, options: all } },
    leaks: left,
    only,
  });
}

/** With a knex instance of the caller, which he destroys. */
export const over: Make = (address, options) => {
  const instance = openKnex(address);
  return closing(createSqlProvider(instance, options), () => instance.destroy());
};

/** With a pool that comes from configuration. */
export const configured: Make = (address, options) =>
  fromConfig({ url: address, options: { ...options }, runtime: systemRuntime });

/** The requirements whose needs satisfy `chosen`. */
function ids(chosen: (needs: readonly Need[]) => boolean): readonly string[] {
  return requirements.filter(({ needs = [] }) => chosen(needs)).map(({ id }) => id);
}

const faultless = new Set<Need>(['processes']);

/** The requirements that need nothing but processes. */
export const withoutFaults: readonly string[] = ids((needs) => needs.every((need) => faultless.has(need)));

/** The others. */
export const withFaults: readonly string[] = ids((needs) => needs.some((need) => !faultless.has(need)));
