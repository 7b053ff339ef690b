import { redisCommand } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { configure } from './configure.ts';
import type { Deployment } from './deployments.ts';

/** The replicas of a master that get no copies. */
export interface CutCopies {
  /** Until this the master takes writes all the same, as it does until it misses its replicas. */
  limit(): Promise<void>;
  /** Lets copies of another master reach them. */
  allow(): Promise<void>;
}

/**
 * Lets copies reach no more than `some` replicas of `master`. A failover prefers the others.
 */
export async function cutCopies(deployment: Deployment, master: ServerHandle, some = 0): Promise<CutCopies> {
  const replicas = (await deployment.replicas()).slice(some);
  const limit = 'min-replicas-to-write';
  const [, least = '0'] = (await redisCommand(master, 'CONFIG', 'GET', limit)) as readonly string[];
  if (some > 0) await deployment.prefer(replicas);
  await configure([master], limit, '0');
  // The master has no password, and refuses one.
  await configure(replicas, 'masterauth', 'wrong');
  await redisCommand(master, 'CLIENT', 'KILL', 'TYPE', 'replica');
  return {
    limit: () => configure([master], limit, least),
    allow: () => configure(replicas, 'masterauth', ''),
  };
}
