import { onTestFinished } from 'vitest';
import type { SqlConfigOptions } from '../../../src/index.ts';
import { locksOf } from '../../support/locks-over.ts';
import type { Party } from '../../support/locks-over.ts';
import { createFile, openProvider } from './file.ts';
import type { TestFile } from './file.ts';

/** A file that goes with the test. */
export function ownFile(): TestFile {
  const file = createFile();
  onTestFinished(() => file.remove());
  return file;
}

/** A provider on `file`, and its locks, that end with the test. */
export async function party(file: Pick<TestFile, 'url'>, options: SqlConfigOptions = {}): Promise<Party> {
  return locksOf(await openProvider(file, options), { ttl: 5_000 });
}
