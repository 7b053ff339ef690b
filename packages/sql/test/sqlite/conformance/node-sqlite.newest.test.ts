import { closing } from '@locks/test-servers';
import { createSqlProvider } from '../../../src/index.ts';
import type { SqliteDatabase } from '../../../src/index.ts';
import { suite } from '../support/conformance.ts';
import type { Make } from '../support/conformance.ts';
import { ofSqliteLibraries } from '../../support/selection.ts';

// The types here are those of Node 20, which has no such module.
const module: string = 'node:sqlite';
const { DatabaseSync } = (await import(module)) as { readonly DatabaseSync: new (path: string) => SqliteDatabase };

const ofNode: Make = ({ path }, options) => {
  const database = new DatabaseSync(path);
  return closing(createSqlProvider(database, options), () => database.close());
};

suite('sqlite, a DatabaseSync of Node', ofNode, {}, ofSqliteLibraries);
