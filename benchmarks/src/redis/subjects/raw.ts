import { createHash } from 'node:crypto';
import { sleep } from '../../measure/clock.ts';
import { ttl } from '../../subjects/party.ts';
import type { Party, RetryOptions } from '../../subjects/party.ts';
import type { Subject } from './subject.ts';

const compareAndDelete = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
const sha = createHash('sha1').update(compareAndDelete).digest('hex');

/** Its commands, by any client. */
export interface RawCommands {
  load(script: string): Promise<unknown>;
  /** `null`: the key is taken. */
  take(key: string, owner: string, ttl: number): Promise<unknown>;
  free(sha: string, key: string, owner: string): Promise<unknown>;
}

/**
 * The minimal lock on Redis: SET NX, and a script that compares and deletes. No fencing token, no
 * queue, no renewal.
 */
export function rawParty({ load, take, free }: RawCommands, { retryDelay = 5 }: Partial<RetryOptions> = {}): Party {
  let count = 0;
  const loaded = load(compareAndDelete);
  return {
    async acquire(key) {
      if (count === 0) await loaded;
      count += 1;
      const owner = `raw-${process.pid}-${count}`;
      while ((await take(key, owner, ttl)) === null) await sleep(retryDelay);
      return { release: () => free(sha, key, owner) };
    },
  };
}

export const raw: Subject = {
  name: 'raw client',
  open: (client, options) =>
    rawParty(
      {
        load: (script) => client.script('LOAD', script),
        take: (key, owner, ms) => client.set(key, owner, 'PX', ms, 'NX'),
        free: (digest, key, owner) => client.evalsha(digest, 1, key, owner),
      },
      options,
    ),
};
