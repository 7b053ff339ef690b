import { differentialTest, exemptionsOf } from '@locks/conformance';
import type { DisturbedProvider } from '@locks/conformance';
import { closing } from '@locks/test-servers';
import { onTestFinished, test } from 'vitest';
import { createSqlProvider } from '../../src/index.ts';
import { conformingMariadb } from '../mysql/support/conformance.ts';
import { conformingPostgres } from '../postgres/support/conformance.ts';
import { over, startOwn } from '../servers/conformance.ts';
import type { ConformingKind } from '../servers/conformance.ts';
import { databases, withTables } from '../support/databases.ts';
import { openKnex } from '../support/open-knex.mjs';

const sequences = Number(process.env['LOCKS_DIFFERENTIAL'] ?? 60);
const seed = Number(process.env['LOCKS_DIFFERENTIAL_SEED'] ?? 1);

/** What makes a provider on a server that can be hurt. */
async function onServer(conforming: ConformingKind): Promise<(waiterTtl: number) => DisturbedProvider> {
  const { server, breakable } = await startOwn(conforming);
  onTestFinished(() => server.stop());
  const small = { ...conforming, poolSize: 2 };
  return (waiterTtl) => breakable((address) => over(address, { waiterTtl }, small));
}

const servers = { Postgres: conformingPostgres, MariaDB: conformingMariadb };

test.each(databases)(
  'on $name a key answers as its rules have it',
  { timeout: 120_000 + sequences * 1_000 },
  async ({ name, create }) => {
    const onFile = async (): Promise<(waiterTtl: number) => ReturnType<typeof createSqlProvider>> => {
      const { url } = await withTables({ name, create });
      return (waiterTtl) => {
        const knex = openKnex(url, { pool: { min: 0, max: 1 } });
        return closing(createSqlProvider(knex, { waiterTtl }), () => knex.destroy());
      };
    };
    const open = name === 'SQLite' ? await onFile() : await onServer(servers[name]);
    const report = await differentialTest({
      name,
      create: ({ waiterTtl }) => open(waiterTtl),
      // As the stores have it.
      assigns: ({ mode, ttl }, { waiterTtl }) => name === 'SQLite' || (mode === 'exclusive' && ttl * 2 >= waiterTtl),
      exemptions: exemptionsOf(name),
      sequences,
      seed,
      // Other tests use the processors meanwhile, and make calls slow.
      abandonedAtMost: 0.5,
      // Its driver stops the process for the time of a call. Postgres permits 100 connections.
      together: name === 'SQLite' ? 10 : 12,
    });
    console.log(JSON.stringify(report));
  },
);
