import { requirements } from '@locks/conformance';
import type { LeakCounts, Need } from '@locks/conformance';
import { conformanceTests } from '@locks/conformance/vitest';
import type { LockProvider } from '@locks/core';
import { Pool } from 'pg';
import { afterAll } from 'vitest';
import { systemRuntime } from '@locks/core/adapter';
import { createSqlProvider, fromConfig } from '../../../src/index.ts';
import type { SqlOptions } from '../../../src/index.ts';
import { rendered } from '../../../src/names.ts';
import { closing } from '../../support/waiting.ts';
import { createTables, openKnex, renewTables, startServer, trustEverybody } from './database.ts';
import { breakable } from './faults.ts';

// Each file of test/conformance has a server of its own: they run beside each other, and break it.
const server = await startServer();
const { url } = server;
const observer = new Pool({ connectionString: url, max: 1 });
// Its connection is cut at each restart.
observer.on('error', () => {});
afterAll(async () => {
  await observer.end();
  await server.stop();
});

/** Makes the provider on the server at `address`. */
export type Make = (address: string, options: SqlOptions) => LockProvider | Promise<LockProvider>;

/** Registers the suite: all of it, or those that `only` names. */
export async function suite(name: string, make: Make, options: SqlOptions, only?: readonly string[]): Promise<void> {
  const names = { table: options.table ?? 'locks', schema: options.schema };
  await trustEverybody(url);
  await createTables(url, names);
  // Places in line that last shorter than by default: several requirements wait for one to lapse. And a deadline that
  // hundreds of calls at once meet on a machine that does other things too, unless they are to go unanswered.
  const all = { timeout: 10_000, waiterTtl: 3_000, ...options };
  const { create, faults } = breakable(
    server,
    () => renewTables(url, names),
    (address) => make(address, all),
  );

  /** What a provider may leave: rows of keys that nobody holds, and nothing else. */
  async function left(): Promise<LeakCounts> {
    const text = rendered(
      `SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::integer AS connections,
        (SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN %')::integer AS listeners,
        (SELECT count(*) FROM "locks_line")::integer AS line,
        (SELECT count(*) FROM "locks_shares")::integer AS shares,
        (SELECT count(*) FROM "locks" WHERE held_until > clock_timestamp() OR line_until > clock_timestamp())::integer AS used`,
      names,
      '"',
    );
    // What has lapsed stays until somebody asks for its key, or the sweep comes.
    await observer.query(rendered('SELECT "locks_sweep"(0, 1000)', names, '"'));
    return (await observer.query<Record<string, number>>(text)).rows[0] ?? {};
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

/** Small: each connection is a process of the server, and a hundred claims at once open them all. */
const poolSize = 4;

/** With a knex instance of the caller, which he destroys. */
export const over: Make = (address, options) => {
  const instance = openKnex(address, { min: 0, max: poolSize });
  return closing(createSqlProvider(instance, options), () => instance.destroy());
};

/** With a knex instance of the provider's own. */
export const configured: Make = (address, { listen: _listen, ...options }) =>
  fromConfig({ url: address, options: { ...options, pool: poolSize }, runtime: systemRuntime });

/** The requirements whose needs satisfy `chosen`. */
function ids(chosen: (needs: readonly Need[]) => boolean): readonly string[] {
  return requirements.filter(({ needs = [] }) => chosen(needs)).map(({ id }) => id);
}

const faultless = new Set<Need>(['processes']);

/** The requirements that need nothing but processes. */
export const withoutFaults: readonly string[] = ids((needs) => needs.every((need) => faultless.has(need)));

/** The others. */
export const withFaults: readonly string[] = ids((needs) => needs.some((need) => !faultless.has(need)));
