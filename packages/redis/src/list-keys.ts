import type { Deadline } from '@locks/core/adapter';
import type { RedisClient } from './client.ts';
import { asPattern } from './keys.ts';
import type { KeyNames } from './keys.ts';
import type { LockScripts } from './lock-scripts.ts';
import { toLockError } from './replies.ts';

/**
 * The keys with this prefix, by SCAN: a key that is held or waited for throughout is listed. One
 * that changes meanwhile may be.
 */
export async function* listKeys(
  client: RedisClient,
  names: KeyNames,
  scripts: LockScripts,
  deadline: Deadline,
  prefix: string,
): AsyncIterable<string> {
  // A replica may be behind. It refuses this script, but would answer SCAN.
  await scripts.inspect(prefix);
  const clientPrefix = client.options?.keyPrefix ?? '';
  const main = names.main(prefix);
  const seen = new Set<string>();
  for (const pattern of [main, `{${clientPrefix}${main}`]) {
    const match = `${asPattern(clientPrefix + pattern)}*`;
    let cursor: string | number = '0';
    do {
      scripts.checkOpen();
      const scan = client.scan(cursor, 'MATCH', match, 'COUNT', 1_000);
      const [next, found] = await deadline.race<[string, string[]]>(scan, 'a scan', undefined, explainScan);
      cursor = next;
      for (const name of found) {
        const own = name.slice(clientPrefix.length);
        const listed = pattern === main ? own : names.mainOfQueue(own);
        if (listed === undefined || seen.has(listed)) continue;
        seen.add(listed);
        yield names.keyOf(listed);
      }
    } while (cursor !== '0');
  }
}

function explainScan(error: unknown): never {
  throw toLockError(error, { what: 'a scan' });
}
