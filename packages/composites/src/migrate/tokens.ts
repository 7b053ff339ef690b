import type { Claim, LockProvider } from '@locks/core';
import { LockError } from '@locks/core/adapter';
import { storeTitle } from './options.ts';
import type { MigrateRules } from './options.ts';
import { probeKey, raiseKey } from './keys.ts';
import type { End } from './phase.ts';

/**
 * In µs: how far tokens may run ahead of a clock. Those of claims in both stores do, by some ms.
 * With less, a token could decrease. With more, a process enters later.
 */
const slack = 100_000n;

type Rules = Pick<MigrateRules, 'stores' | 'runtime'>;

/** A bound above all tokens of the store of `end`. No process takes locks there alone. */
export async function barOf({ stores, runtime }: Rules, end: End): Promise<bigint> {
  return (await probe(stores[end], runtime)) + slack;
}

/**
 * The ms until new tokens of the store of `end` exceed `bar`. 0: they do. If one claim raises those
 * of the whole store, it is made.
 * @throws if they do not rise.
 */
export async function untilAbove({ stores, runtime }: Rules, end: End, bar: bigint): Promise<number> {
  const store = stores[end];
  let token = await probe(store, runtime);
  if (token > bar) return 0;
  if (store.traits.fencing === 'clock-bounded') return Number((bar - token) / 1_000n) + 1;
  await probe(store, runtime, bar);
  token = await probe(store, runtime);
  if (token > bar) return 0;
  throw new LockError(
    'LOCK_MISCONFIGURED',
    `${storeTitle(end, store.name)} returns tokens below those of the other one (${token}, not above ${bar}).`,
  );
}

/** One token of `store`, from a claim for this purpose. `floor`: what it must exceed. */
async function probe(store: LockProvider, runtime: Rules['runtime'], floor?: bigint): Promise<bigint> {
  const [key, raise] = floor === undefined ? [probeKey, {}] : [raiseKey, { floor }];
  const claim: Claim = { key, owner: `probe/${runtime.uniqueId()}`, ttl: 1_000, mode: 'shared', ...raise };
  try {
    const answer = await store.tryAcquire(claim);
    if (answer.granted) return answer.token;
    throw new LockError(
      'LOCK_UNAVAILABLE',
      `${store.name}: key ${key} is held exclusively, so its tokens are unknown.`,
    );
  } finally {
    await store.release(claim).catch(() => {});
  }
}
