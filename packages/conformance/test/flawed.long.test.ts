import assert from 'node:assert/strict';
import type { LockProvider } from '@locks/core';
import { requirements, runConformance } from '@locks/conformance';
import { afterAll, describe, test } from 'vitest';
import type { Flaw } from './flawed/flaw.ts';
import { flaws } from './flawed/index.ts';
import { createTextbook } from './flawed/textbook.ts';
import type { Store } from './flawed/textbook.ts';
import { createMutantTable, everything, ids, requirementsFor } from './support/mutants.ts';
import { alone } from './support/side-by-side.ts';

/** Cheap requirements of all kinds, which a flaw of another kind must not break. */
const others = ids(
  'declares-traits exclusion-while-held busy-leaves-nothing repeat-same-token repeat-shared',
  'release-frees release-only-own release-position-in-the-queue release-counts-once',
  'stale-after-takeover renew-only-own renew-raises-token shared-together permits-admit-exactly',
  'permits-own-number upgrade-refused downgrade-keeps-the-hold',
  'wake-after-release wake-never-synchronous wake-latest-callback fair-newcomer-waits',
  'fair-repeat-keeps-place token-increases token-of-sharers token-floor owners-verbatim inspect-holder',
  'inspect-sharers inspect-waiters close-refuses close-is-local locks-try locks-reentrant locks-close',
);

// Many runs share the process here.
const all = requirements.map(({ id }) => id).filter((id) => !alone.includes(id));
const ttl = 200;

const table = createMutantTable('flawed providers, and the requirements that caught them');
afterAll(() => console.log(table.print()));

async function mustBeCaught(flaw: Flaw): Promise<void> {
  const { name, make, options } = flaw;
  // A place of a textbook provider takes a while to lapse.
  const limit = everything ? 20_000 : 6_000;
  await table.judge(flaw, everything ? all : requirementsFor(flaw, others), async (only) => {
    const made = make();
    const providers = typeof made === 'function' ? { create: made } : made;
    return await runConformance({ name, ...providers, ttl, only, limit, ...options?.() });
  });
}

describe.concurrent('flawed providers', () => {
  for (const flaw of flaws.filter(({ alone: apart }) => apart !== true)) test(flaw.name, () => mustBeCaught(flaw));

  test('the provider without a flaw passes', async () => {
    const store: Store = new Map();
    const create = (): LockProvider => createTextbook(store);
    const createOther = (): LockProvider => createTextbook(store, { placeTtl: 900 });
    const { results } = await runConformance({ name: 'textbook', create, createOther, ttl, only: all });
    const failed = results.filter(({ status }) => status === 'failed');
    assert.deepEqual(
      failed.map(({ id, error }) => `${id}: ${error?.message}`),
      [],
    );
  });
});

describe('flawed providers that show in an event loop of their own', () => {
  for (const flaw of flaws.filter(({ alone: apart }) => apart === true)) test(flaw.name, () => mustBeCaught(flaw));
});
