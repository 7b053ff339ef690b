import type { Claim } from '../../../core/src/index.ts';
import { watch } from '../../../core/test/support/setting.ts';
import type { Process, World } from './fleet.ts';

export const granted: object = { granted: true };

let count = 0;

export function claimOf(key = 'job', ttl = 10_000): Claim {
  count += 1;
  return { key, owner: `me/${count}`, ttl, mode: 'exclusive' };
}

/** What an attempt of `process` comes to within `ms`. */
export async function attempt(world: World, { provider }: Process, claim = claimOf(), ms = 1_000): Promise<unknown> {
  const watched = watch(provider.tryAcquire(claim), world.runtime);
  await world.runtime.advance(ms);
  if (watched.state === 'open') return 'open';
  return watched.state === 'fulfilled' ? watched.value : watched.error;
}
