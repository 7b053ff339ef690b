import { dialectOf } from './subject.ts';
import type { Dialect, SqlParty, SqlSubject, SqlTarget } from './subject.ts';

type Loaders = Readonly<Record<string, () => Promise<SqlSubject>>>;

const ours: Loaders = { '@locks': async () => (await import('./ours.ts')).ours };
const oursOverKnex: Loaders = { '@locks over knex': async () => (await import('./ours.ts')).oursOverKnex };
const oursPlain: Loaders = { '@locks without routines': async () => (await import('./ours.ts')).oursPlain };
const verrou: Loaders = { verrou: async () => (await import('./verrou.ts')).verrou };

/** Of those that are needed only: a process that measures one library does not load the others. */
const loaders: Readonly<Record<Dialect, Loaders>> = {
  postgres: {
    'raw client': async () => (await import('./raw-postgres.ts')).rawPostgres,
    ...ours,
    ...oursOverKnex,
    ...oursPlain,
    ...verrou,
    'advisory-lock': async () => (await import('./advisory-lock.ts')).advisory,
    'pg-mutex-lock': async () => (await import('./pg-mutex-lock.ts')).pgMutexLock,
  },
  mariadb: {
    'raw client': async () => (await import('./raw-mariadb.ts')).rawMariadb,
    ...ours,
    ...oursPlain,
    ...verrou,
  },
  sqlite: {
    'raw client': async () => (await import('./raw-sqlite.ts')).rawSqlite,
    ...ours,
    ...oursPlain,
  },
};

/** Of ours, and of what they are compared with. */
export function sqlSubjectNames(dialect: Dialect): readonly string[] {
  return Object.keys(loaders[dialect]);
}

/** Connects `name` to the database of `target`. */
export async function openParty(name: string, target: SqlTarget): Promise<SqlParty> {
  const all = loaders[dialectOf(target.url)];
  const load = all[name];
  if (load === undefined) throw new Error(`There is no subject "${name}", only ${Object.keys(all).join(', ')}.`);
  return await (await load()).open(target);
}
