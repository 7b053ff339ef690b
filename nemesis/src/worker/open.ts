import { setTimeout as sleep } from 'node:timers/promises';
import { isLockError, openLocks } from '@locks/core';
import { loadFlawed } from '../flawed/load.ts';
import type { Target } from './messages.ts';
import type { Opened } from './opened.ts';

/**
 * Opens the locks, as often as it takes: the network may be broken at the moment. Rejects for any
 * other reason.
 */
export async function open(target: Target): Promise<Opened> {
  const { flawed, own, exclusive: _, keys: _keys, lasting: _lasting, ...config } = target;
  if (own === 'ioredis') return (await import('./own/ioredis.ts')).openOwn(target);
  if (own === 'knex') return (await import('./own/knex.ts')).openOwn(target);
  if (own === 'node-zookeeper-client') return (await import('./own/node-zookeeper-client.ts')).openOwn(target);
  const provider = (await loadFlawed(flawed)) ?? config.provider;
  for (;;) {
    try {
      const locks = await openLocks({ ...config, provider });
      return { locks, close: () => locks.close() };
    } catch (error) {
      if (!isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
      await sleep(50);
    }
  }
}
