import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { sleep } from '../../measure/clock.ts';
import { ttl } from '../../subjects/party.ts';
import type { Subject } from './subject.ts';

const compareAndDelete = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
const sha = createHash('sha1').update(compareAndDelete).digest('hex');

/**
 * The published protocol and nothing else: SET NX at all nodes, a majority decides, and a script
 * that compares and deletes. No clock, no token, no queue, no renewal.
 */
export const raw: Subject = {
  open(clients, { retryDelay = 5 }) {
    let count = 0;
    const need = Math.floor(clients.length / 2) + 1;
    const loaded = Promise.all(clients.map((client) => client.script('LOAD', compareAndDelete)));
    const set = async (client: Redis, key: string, owner: string): Promise<boolean> =>
      (await client.set(key, owner, 'PX', ttl, 'NX')) !== null;
    return {
      async acquire(key) {
        if (count === 0) await loaded;
        count += 1;
        const owner = `raw-${process.pid}-${count}`;
        const release = (): Promise<unknown> =>
          Promise.all(clients.map((client) => client.evalsha(sha, 1, key, owner)));
        while (true) {
          const votes = await Promise.all(clients.map((client) => set(client, key, owner)));
          if (votes.filter(Boolean).length >= need) return { release };
          await release();
          await sleep(Math.random() * retryDelay);
        }
      },
    };
  },
};
