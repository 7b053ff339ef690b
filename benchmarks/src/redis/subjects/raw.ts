import { createHash } from 'node:crypto';
import { sleep } from '../../measure/clock.ts';
import { ttl } from '../../subjects/party.ts';
import type { Subject } from './subject.ts';

const compareAndDelete = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
const sha = createHash('sha1').update(compareAndDelete).digest('hex');

/**
 * The least a lock on Redis can be: SET NX, and a script that compares and deletes. No fencing
 * token, no queue, no renewal.
 */
export const raw: Subject = {
  name: 'raw client',
  open(client, { retryDelay = 5 }) {
    let count = 0;
    const loaded = client.script('LOAD', compareAndDelete);
    return {
      async acquire(key) {
        if (count === 0) await loaded;
        count += 1;
        const owner = `raw-${process.pid}-${count}`;
        while ((await client.set(key, owner, 'PX', ttl, 'NX')) === null) await sleep(retryDelay);
        return { release: () => client.evalsha(sha, 1, key, owner) };
      },
    };
  },
};
