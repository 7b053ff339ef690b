import { openLocks } from '@locks/core';
import type { RetryOptions } from '../subjects/party.ts';
import type { Database } from './database.ts';
import { openParty } from './subjects/index.ts';

/**
 * Creates the tables: ours on request, those of others when they are first used, which several
 * processes must not do simultaneously.
 */
export async function prepare({ url }: Database, names: readonly string[], options: RetryOptions): Promise<void> {
  const locks = await openLocks({ url, options: { migrate: true } });
  await locks.close();
  for (const name of names) {
    const party = await openParty(name, { url, ...options });
    try {
      const held = await party.acquire(`prepare/${name}`);
      await held.release();
    } finally {
      await party.close();
    }
  }
}
