import { differentialTest } from '@locks/conformance';
import type { Claim, LockProvider } from '@locks/core';
import { expect, inject, test } from 'vitest';
import { createEtcdProvider } from '../../src/index.ts';
import { ownPrefix } from '../support/etcd.ts';

const sequences = Number(process.env['LOCKS_DIFFERENTIAL'] ?? 20);
const seed = Number(process.env['LOCKS_DIFFERENTIAL_SEED'] ?? 1);

/** etcd rounds a ttl up to seconds, so what a ttl ends is left to the suite. */
function withoutExpiry(provider: LockProvider): LockProvider {
  const lasting = (claim: Claim): Claim => ({ ...claim, ttl: claim.ttl * 100 });
  return {
    name: provider.name,
    traits: { ...provider.traits, expiry: 'session' },
    tryAcquire: (claim, wake) => provider.tryAcquire(lasting(claim), wake),
    renew: (claim, token) => provider.renew(lasting(claim), token),
    release: (claim) => provider.release(claim),
    inspect: (key) => provider.inspect(key),
    close: () => provider.close(),
  };
}

test(
  'the claims in etcd answer as the rules of a key do',
  async () => {
    const [url, prefix] = [inject('etcdUrl'), ownPrefix()];
    const report = await differentialTest({
      name: 'etcd',
      create: async () => withoutExpiry(await createEtcdProvider({ url, prefix, waiterTtl: 60_000, timeout: 20_000 })),
      sequences,
      seed,
      // Other tests use the processors meanwhile, and make calls slow.
      abandonedAtMost: 0.4,
    });
    console.log(JSON.stringify(report));
    expect(report.exempted).toEqual({});
  },
  120_000 + sequences * 1_000,
);
