import { randomBytes } from 'node:crypto';
import type { Claim, LockProvider } from '@locks/core';
import { eventually } from '../checks/time.ts';
import type { DifferentialOptions, DifferentialRules } from './options.ts';
import { families, partiesOfPlan } from './plan.ts';
import type { Abilities } from './plan.ts';

/** The providers that all sequences share. */
export interface Opened {
  /** Holds and places last as long as their session, whatever the ttl. */
  readonly lasting: boolean;
  /** One for each party, with these settings. */
  of(rules: DifferentialRules): readonly LockProvider[];
  readonly can: Abilities;
  close(): Promise<void>;
}

/** A provider hears of its turns after so many ms at most. */
const patience = 10_000;

/** Makes the providers of all settings, and brings each of them into a queue once. */
export async function openProviders({ create, virtual }: DifferentialOptions): Promise<Opened> {
  const all: LockProvider[] = [];
  const byRules = new Map<number, readonly LockProvider[]>();
  const close = async (): Promise<void> => {
    await Promise.all(all.map((provider) => provider.close().catch(() => {})));
  };
  try {
    for (const { waiterTtl } of families) {
      const providers: LockProvider[] = [];
      for (let party = 0; party < partiesOfPlan; party += 1) {
        const provider = await create({ waiterTtl });
        all.push(provider);
        providers.push(provider);
      }
      byRules.set(waiterTtl, providers);
    }
    if (virtual === undefined) await Promise.all(all.map(enterQueue));
  } catch (error) {
    await close();
    throw error;
  }
  const [{ traits, time }] = all as [LockProvider];
  const can = { shared: traits.shared, time: time !== undefined };
  const lasting = traits.expiry === 'session';
  return { lasting, of: ({ waiterTtl }) => byRules.get(waiterTtl) ?? [], can, close };
}

/**
 * Until its first claim waits, a provider may have no subscription, and give no position in the
 * queue.
 */
async function enterQueue(provider: LockProvider): Promise<void> {
  const key = `differential-${randomBytes(6).toString('hex')}`;
  const [holder, waiter] = ['holder', 'waiter'].map((name): Claim => ({
    key,
    owner: `${name}/${key}`,
    ttl: 60_000,
    mode: 'exclusive',
  })) as [Claim, Claim];
  await provider.tryAcquire(holder);
  const look = async (): Promise<number> => {
    await provider.tryAcquire(waiter, () => {});
    const { waiters } = await provider.inspect(key);
    return waiters;
  };
  await eventually(patience, 'a claim to be in the queue', look, (waiters) => waiters === 1);
  await provider.release(waiter);
  await provider.release(holder);
}
