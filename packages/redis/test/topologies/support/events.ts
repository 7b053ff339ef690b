import { redisCommand } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { closeAfterTest, eventually } from '../../support/redis.ts';
import { redisKey } from './deployments.ts';
import type { Deployment, Needs } from './deployments.ts';

/** Where an event happens. */
export interface Scene {
  readonly deployment: Deployment;
  /** The server that has the lock. */
  readonly master: ServerHandle;
}

/** Something that happens to Redis while a lock is held. */
export interface Event {
  readonly needs?: Needs;
  /** Another server becomes the master after it, one that has no copy of the lock. */
  readonly failover?: boolean;
  /** The holder renews its lease, at the old master. */
  readonly renew?: boolean;
  /** The other client comes after the event. One from before may still speak to the old master. */
  readonly newcomer?: boolean;
  /** Before the lock is taken. */
  prepare?(scene: Scene): Promise<unknown>;
  /** Resolves to a function that ends it, where one is needed. */
  happen(scene: Scene): Promise<void | (() => Promise<unknown>)>;
  /** After the failover. */
  afterwards?(scene: Scene): Promise<unknown>;
}

const patient: Needs = { patient: true };
const hour = 3_600_000;

/** The old master is cut off from the other servers, and not from its clients. */
export const partition: Event = {
  needs: { cutOff: true },
  failover: true,
  renew: true,
  newcomer: true,
  happen: async ({ deployment, master }) => await deployment.cutOff(master),
};

/** The old master goes on after another one has followed. */
export const stoodStill: Event = {
  failover: true,
  newcomer: true,
  happen: async ({ master }) => await master.pause(),
  afterwards: ({ master }) => master.resume(),
};

/** By the rows of the table in the documentation. */
export const events: Readonly<Record<string, Event>> = {
  'restart with all data': {
    needs: { ...patient, args: ['--appendonly', 'yes', '--appendfsync', 'always'] },
    happen: async ({ master }) => await master.restart(),
  },
  'restart without data': { needs: patient, happen: async ({ master }) => await master.restart() },
  'restart with old data': {
    needs: patient,
    prepare: ({ master }) => redisCommand(master, 'SAVE'),
    async happen({ master }) {
      await master.kill();
      await master.restart();
    },
  },
  '`FLUSHALL`': { needs: patient, happen: async ({ master }) => void (await redisCommand(master, 'FLUSHALL')) },
  'eviction of a held key': { needs: patient, happen: async ({ master }) => await evict(master) },
  'failover, the master was killed': { failover: true, happen: async ({ master }) => await master.kill() },
  'failover, the old master stood still': stoodStill,
  'partition, the old master has clients': partition,
  'failover in order': { needs: patient, happen: async ({ deployment }) => await deployment.failOver() },
  'move of a slot': {
    needs: patient,
    async happen({ deployment }) {
      const move = await deployment.moveSlot();
      return async () => {
        while ((await move.moveKeys()) > 0);
        await move.end();
      };
    },
  },
  "step of the server's clock, back": {
    needs: { ...patient, clocks: true },
    happen: async ({ deployment, master }) => await deployment.putClock(master, -hour),
  },
  "step of the server's clock, forward": {
    needs: { ...patient, clocks: true },
    happen: async ({ deployment, master }) => await deployment.putClock(master, hour),
  },
};

/** Writes until the server has evicted the key. */
async function evict({ url }: ServerHandle): Promise<void> {
  const client = closeAfterTest(new Redis(url));
  const used = Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
  await client.config('SET', 'maxmemory', String(used + 1_000_000));
  await client.config('SET', 'maxmemory-policy', 'volatile-random');
  let written = 0;
  await eventually('the eviction', async () => {
    written += 1;
    // In the slot of the key.
    await client.set(`{${redisKey}}-${written}`, 'x'.repeat(100_000)).catch(() => {});
    return (await client.exists(redisKey)) === 0;
  });
  await client.config('SET', 'maxmemory', '0');
}
