import { LockError } from '@locks/core/adapter';
import type { Deadline } from '@locks/core/adapter';
import type { RedisClient, ScriptClient } from '../wire/client.ts';
import { asPattern } from './keys.ts';
import type { KeyNames } from './keys.ts';
import type { LockScripts } from './lock-scripts.ts';
import { toList, toLockError } from '../wire/replies.ts';
import type { Servers } from '../wire/servers.ts';

/**
 * Lists the keys with this prefix, by SCAN. A key that has a holder or a waiter throughout is
 * listed.
 */
export async function* listKeys(
  client: ScriptClient,
  servers: Servers,
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
  for (const { client: server, replication } of servers.holders()) {
    if (replication !== undefined) await checkMaster(replication(), deadline);
    let run: string;
    do {
      run = await runOf(server, deadline);
      for (const pattern of [main, `{${clientPrefix}${main}`]) {
        const match = `${asPattern(clientPrefix + pattern)}*`;
        for await (const page of pagesOf(server, match, scripts, deadline)) {
          const keys = page.flatMap((name) => {
            const own = String(name).slice(clientPrefix.length);
            // Without a prefix the first pattern also matches companions. No main name has a brace.
            const listed = pattern !== main ? names.mainOfQueue(own) : own.includes('{') ? undefined : own;
            const key = listed === undefined ? '' : names.keyOf(listed);
            return key === '' || seen.has(key) ? [] : [key];
          });
          // An application may have keys below the prefix, too.
          for (const key of await scripts.inUse([...new Set(keys)])) {
            seen.add(key);
            yield key;
          }
        }
      }
    } while (run !== (await runOf(server, deadline)));
  }
}

/** The names in Redis that match, in pages. */
async function* pagesOf(
  server: RedisClient,
  match: string,
  scripts: LockScripts,
  deadline: Deadline,
): AsyncIterable<readonly unknown[]> {
  let cursor = '0';
  do {
    scripts.checkOpen();
    const scan = server.scan(cursor, 'MATCH', match, 'COUNT', 1_000);
    const [next, found] = toList(await deadline.race(scan, 'a scan', undefined, explainScan), 'a scan');
    cursor = String(next);
    yield toList(found, 'a scan');
  } while (cursor !== '0');
}

/** A cursor of `SCAN` means nothing to a server that has started anew, or that took over. */
async function runOf(server: RedisClient, deadline: Deadline): Promise<string> {
  const text = String(await deadline.race(server.info('server'), 'a scan', undefined, explainScan));
  return /^run_id:\w+/m.exec(text)?.[0] ?? 'unknown';
}

/** The inspection asked one node. Another may be a master from before a failover. */
async function checkMaster(replication: Promise<unknown>, deadline: Deadline): Promise<void> {
  const text = String(await deadline.race(replication, 'a scan', undefined, explainScan));
  if (/^role:master\r?$/m.test(text)) return;
  throw new LockError('LOCK_UNAVAILABLE', 'Redis failed at a scan: a node of the Cluster is no longer a master.');
}

function explainScan(error: unknown): never {
  throw toLockError(error, { what: 'a scan' });
}
