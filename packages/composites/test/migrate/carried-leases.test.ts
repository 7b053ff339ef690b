import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createMemoryProvider } from '../../../core/src/index.ts';
import { withSession } from '../../../core/test/support/with-session.ts';
import type { Claim, Grant, LockProvider } from '../../../core/src/index.ts';
import type { Phase } from '../../src/index.ts';
import type { Fleet } from '../support/migrating-fleet.ts';
import { claimOf, fleet, listen, withValidity } from '../support/migrating-fleet.ts';

interface Carried {
  readonly provider: LockProvider;
  readonly claim: Claim;
  readonly lost: AbortSignal | undefined;
  /** The store that it was carried to. */
  readonly inner: LockProvider;
  /** The store that it was taken in. */
  readonly own: LockProvider;
  readonly holders: Fleet['holders'];
}

/** A lease that was taken under `first`, and carried. `wrap`: what its process has as the other. */
async function carriedLease(
  wrap: (inner: LockProvider) => LockProvider,
  first: 'from' | 'to' = 'from',
): Promise<Carried> {
  let phase: Phase = first;
  const { process, from, to, holders } = fleet();
  const heard = listen();
  const [own, inner] = (first === 'from' ? [from, to] : [to, from]).map((store) => createMemoryProvider({ store })) as [
    LockProvider,
    LockProvider,
  ];
  const provider = process(() => phase, { [first === 'from' ? 'to' : 'from']: wrap(inner) });
  const claim = claimOf('p/1', { ttl: 800 });
  await vi.waitFor(() => expect(heard.at(-1)).toMatchObject({ event: 'changed', effective: first }));
  const { lost } = (await provider.tryAcquire(claim)) as Grant;
  phase = 'both';
  await provider.renew(claim);
  await vi.waitFor(() => expect(heard.at(-1)?.event).toBe('carried'));
  return { provider, claim, lost, inner, own, holders };
}

test('a lease that is carried counts on its first store alone for as long as was told before', async () => {
  let session = new AbortController();
  const { provider, claim, lost, inner, holders } = await carriedLease((store) =>
    withSession(store, 'job', () => session.signal),
  );
  const before = session;
  session = new AbortController();
  const [ended] = (await inner.inspect('job')).holders;
  await inner.release(claimOf(ended?.owner ?? ''));
  before.abort(new Error('the session has ended'));
  expect(lost?.aborted).toBe(false);
  expect(await holders()).toEqual({ from: 1, to: 0 });
  // It is carried again.
  expect(await provider.renew(claim)).not.toBe(false);
  await vi.waitFor(async () => expect(await holders()).toEqual({ from: 1, to: 1 }));
  await provider.renew(claim);
  session.abort(new Error('the session has ended'));
  expect(lost?.aborted).toBe(true);
});

test.for([
  ['at its first renewal there', 800],
  ['when what both stores promised is over', 60],
] as const)('so it does where a renewal hears that the other store let go of it, %s', async ([, validity]) => {
  const { provider, claim, lost, inner, holders } = await carriedLease((store) => withValidity(store, validity));
  if (validity < claim.ttl) {
    const renewed = await provider.renew(claim);
    // That of before goes on.
    expect(renewed && renewed.validity).toBeGreaterThan(claim.ttl / 2);
    await sleep(2 * validity);
  }
  const [ended] = (await inner.inspect('job')).holders;
  if (ended !== undefined) await inner.release(claimOf(ended.owner));
  expect(await provider.renew(claim)).not.toBe(false);
  expect(lost?.aborted).toBe(false);
  expect((await holders()).from).toBe(1);
});

test.each(['from', 'to'] as const)('its release tells what its first store, "%s", told', async (first) => {
  const { provider, claim, inner, holders } = await carriedLease((store) => store, first);
  const [ended] = (await inner.inspect('job')).holders;
  await inner.release(claimOf(ended?.owner ?? ''));
  expect(await provider.release(claim)).toBe(true);
  expect(await holders()).toEqual({ from: 0, to: 0 });
});

test.each(['from', 'to'] as const)('its release is false once its first store, "%s", let go', async (first) => {
  const { provider, claim, holders, own } = await carriedLease((store) => store, first);
  const [ended] = (await own.inspect('job')).holders;
  await own.release(claimOf(ended?.owner ?? ''));
  expect(await provider.release(claim)).toBe(false);
  expect(await holders()).toEqual({ from: 0, to: 0 });
});
