import { createLocks } from '@locks/core';
import type { LockProvider, Locks } from '@locks/core';
import { onTestFinished } from 'vitest';
import type { SqlConfigOptions } from '../../../src/index.ts';
import { createFile, openProvider } from './file.ts';
import type { TestFile } from './file.ts';

/** A file that goes with the test. */
export function ownFile(): TestFile {
  const file = createFile();
  onTestFinished(() => file.remove());
  return file;
}

/** A provider on `file`, and its locks, that end with the test. */
export async function party(
  file: Pick<TestFile, 'url'>,
  options: SqlConfigOptions = {},
): Promise<{ readonly provider: LockProvider; readonly locks: Locks }> {
  const provider = await openProvider(file, options);
  const locks = createLocks(provider, { ttl: 5_000 });
  onTestFinished(async () => {
    await locks.close();
    await provider.close();
  });
  return { provider, locks };
}
