import { canDo, runNemesis } from '@locks/conformance/nemesis';
import type { Json } from '@locks/conformance/nemesis';
import { isLockError } from '@locks/core';
import type { Locks } from '@locks/core';
import { harmless } from '../output/output.ts';
import type { Output } from '../output/output.ts';
import { backendOf, findStore, withStore } from '../store/open-store.ts';
import type { StoreOptions } from '../store/open-store.ts';
import { throughProxies } from './through-proxies.ts';

/** How a store is attacked. */
interface AttackOptions {
  readonly ttl?: number | undefined;
  readonly seconds?: number | undefined;
  readonly seed?: number | undefined;
}

/** In ms: places of dead waiters last so long, unless options of the adapter say otherwise. */
const healing = 10_000;
/** In ms: what leases have, where nothing is said. */
const usualTtl = 2_000;

/**
 * Attacks the store of `options` on keys of its own: its servers are left alone, but for their
 * connections to processes of this command. Gives whether all promises were kept.
 */
export async function attack(options: StoreOptions, attacked: AttackOptions, output: Output): Promise<boolean> {
  const { ttl = usualTtl, ...how } = attacked;
  const { traits, jobs } = await withStore(options, output, async (locks) => {
    return { traits: locks.traits, jobs: await keepsJobs(locks) };
  });
  const { provider, url, options: own } = await backendOf(options);
  const { args, servers } = throughProxies({
    ...(typeof provider === 'string' ? { provider } : {}),
    ...(url === undefined ? {} : { url }),
    options: own as { readonly [name: string]: Json },
    ttl,
  });
  const composed = provider === 'combine' || provider === 'migrate';
  const { failure } = await runNemesis({
    ...how,
    target: {
      ...{ name: (await findStore(options)).shown, ttl, servers, healing, fair: traits.fair, sharersMayTie: composed },
      openings: { url: { module: new URL('./opening.js', import.meta.url), args } },
      can: (turn) => canDo(traits, turn, jobs),
    },
    print: (line) => void output.print(harmless(line), { line }),
  });
  return failure === undefined;
}

async function keepsJobs(locks: Locks): Promise<boolean> {
  try {
    await locks.job('nemesis');
    return true;
  } catch (error) {
    if (isLockError(error, 'LOCK_MISCONFIGURED')) return false;
    throw error;
  }
}
