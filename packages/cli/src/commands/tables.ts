import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isLockError } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import type { Backend } from '@locks/core/open';
import { removeTables } from '@locks/sql';
import { Failure, exitCode } from '../failure.ts';
import { confirmed } from '../output/confirmed.ts';
import { harmless } from '../output/output.ts';
import type { Output } from '../output/output.ts';
import { backendOf, findStore, providerOf } from '../store/open-store.ts';
import type { StoreOptions } from '../store/open-store.ts';

/** Options of `locks tables`. */
export interface TablesOptions extends StoreOptions {
  readonly printSql?: boolean | undefined;
  readonly yes?: boolean | undefined;
}

/** Creates, examines or removes the tables of a SQL store. Returns the exit code. */
export async function tables(name: 'up' | 'status' | 'down', options: TablesOptions, output: Output): Promise<number> {
  const backend = await backendOf(options);
  if (backend.provider !== 'sql') {
    throw new Failure(exitCode.usage, 'Only stores in a SQL database have tables. Name one with --url or LOCKS_URL.');
  }
  if (name === 'status') return await tellStatus(backend, output);
  if (options.printSql === true) return await printSql(name, backend, output);
  if (name === 'up') {
    await (await providerOf(backend, { migrate: true })).close();
    await output.print('The tables are up to date.', { tables: 'up' });
    return 0;
  }
  const { shown } = await findStore(options);
  const what = `This removes the tables of the locks in ${shown}, with all holds and tokens. Holders lose their locks.`;
  if (!(await confirmed({ yes: options.yes, what, question: 'Remove them?' }))) return exitCode.declined;
  await removeTables({ url: backend.url, options: backend.options, runtime: systemRuntime });
  await output.print('The tables are removed.', { tables: 'down' });
  return 0;
}

async function tellStatus(backend: Backend, output: Output): Promise<number> {
  try {
    await (await providerOf(backend, { migrate: false })).close();
  } catch (error) {
    if (!isLockError(error, 'LOCK_MISCONFIGURED')) throw error;
    await output.print(harmless(error.message), { tables: 'wrong', message: error.message });
    return exitCode.findings;
  }
  await output.print('The tables are up to date.', { tables: 'up' });
  return 0;
}

/** The files of `@locks/sql` use the default names of the tables. */
async function printSql(direction: 'up' | 'down', { url = '' }: Backend, output: Output): Promise<number> {
  const database = /^postgres/i.test(url) ? 'postgres' : /^sqlite/i.test(url) ? 'sqlite' : 'mysql';
  const manifest = createRequire(import.meta.url).resolve('@locks/sql/package.json');
  const folder = join(dirname(manifest), 'sql', database, 'migrations');
  const files = readdirSync(folder).filter((file) => file.endsWith('.down.sql') === (direction === 'down'));
  for (const file of direction === 'up' ? files.toSorted() : files.toSorted().toReversed()) {
    const sql = readFileSync(join(folder, file), 'utf8').trimEnd();
    await output.print(sql, { file, sql });
  }
  return 0;
}
