import { setTimeout as delay } from 'node:timers/promises';
import { closing } from '@locks/test-servers';
import type Libsql from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { createSqlProvider } from '../../../src/index.ts';
import type { SqliteDatabase } from '../../../src/index.ts';
import { suite } from '../support/conformance.ts';
import type { Make } from '../support/conformance.ts';
import { createFile } from '../support/file.ts';
import { ofSqliteLibraries } from '../../support/selection.ts';

// The types here are those of Node 20, which has no such module.
const module: string = 'node:sqlite';
const { DatabaseSync } = (await import(module)) as { readonly DatabaseSync: new (path: string) => SqliteDatabase };

const ofNode: Make = ({ path }, options) => {
  const database = new DatabaseSync(path);
  return closing(createSqlProvider(database, options), () => database.close());
};

suite('sqlite, a DatabaseSync of Node', ofNode, {}, ofSqliteLibraries);

test('calls wait for a file that another program keeps busy for a while', async () => {
  const file = createFile(DatabaseSync as unknown as typeof Libsql);
  onTestFinished(() => file.remove());
  const provider = await ofNode(file, {});
  onTestFinished(() => provider.close());
  const claim = { key: 'key', owner: 'own/1', ttl: 30_000, mode: 'exclusive' } as const;
  for (const call of [() => provider.tryAcquire(claim), () => provider.renew(claim), () => provider.release(claim)]) {
    file.observer.exec('BEGIN IMMEDIATE');
    const answer = call();
    await delay(100);
    file.observer.exec('COMMIT');
    expect(await answer).toBeTruthy();
  }
});
