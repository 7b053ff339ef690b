import { describe, expect, it } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../src/index.ts';
import type { Claim } from '../../src/index.ts';
import { answerWell, createFreeSetting, watch } from '../support/setting.ts';
import { rejectAtOnce, renewAtOnce } from '../support/scripted-provider.ts';
import { VirtualRuntime, settle } from '../support/virtual-runtime.ts';

const ttl = 1_000;

/** Whether a call is about the ticket of a lease. */
const isTicket = ({ claim }: { readonly claim: Claim }): boolean => claim.key.startsWith('transfer/');

describe('a hand-over whose answers get lost', () => {
  it.each([
    ['ticket', 'tryAcquire'],
    ['renewal', 'renew'],
  ] as const)('is held on by the giver while its %s is unknown, and the ticket is given back', async (_, call) => {
    const { runtime, provider, locks } = createFreeSetting();
    const lease = await locks.acquire('seat', { ttl });
    provider.answers[call] = rejectAtOnce;
    await expect(lease.transfer()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    provider.answers.renew = renewAtOnce;
    await runtime.advance(2_000);
    expect(lease.held).toBe(true);
    expect(provider.releases.map(({ claim }) => claim.key)).toEqual([`transfer/${lease.owner}`]);
    expect(await lease.release()).toBe(true);
  });

  it('ends for a resumer who does not know whether it has the ticket', async () => {
    const { provider, locks } = createFreeSetting();
    const text = await (await locks.acquire('seat', { ttl })).transfer();
    provider.answers.release = rejectAtOnce;
    await expect(locks.resume(text)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', key: 'seat' });
    // Nothing was done with the lease, and the call may be repeated.
    const ofLease = (): number => provider.renewals.filter((call) => !isTicket(call)).length;
    expect(ofLease()).toBe(1);
    answerWell(provider);
    expect((await locks.resume(text)).held).toBe(true);
    expect(ofLease()).toBe(2);
  });

  it('asks again for the first renewal, and gives up with the ttl', async () => {
    const { runtime, provider, locks } = createFreeSetting();
    const text = await (await locks.acquire('seat', { ttl })).transfer();
    let failures = 3;
    provider.answers.renew = (call) => (isTicket(call) || failures-- <= 0 ? call.answer({}) : call.reject());
    const outcome = watch(locks.resume(text));
    await runtime.advance(900);
    expect(outcome.value?.held).toBe(true);
    const other = await (await locks.acquire('other', { ttl })).transfer();
    provider.answers.renew = (call) => (isTicket(call) ? call.answer({}) : call.reject());
    const never = watch(locks.resume(other));
    await runtime.advance(3_000);
    expect(never.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', key: 'other' });
    expect(provider.releases.at(-1)?.claim.key).toBe('other');
  });

  it('ends with the Locks that resumes it', async () => {
    const { provider, locks } = createFreeSetting();
    const text = await (await locks.acquire('seat', { ttl })).transfer();
    delete provider.answers.renew;
    const outcome = watch(locks.resume(text));
    await settle();
    provider.open('renew').answer({});
    await settle();
    void locks.close();
    provider.open('renew').answer({});
    await settle();
    expect(outcome.error).toMatchObject({ code: 'LOCK_CLOSED' });
    expect(provider.releases.at(-1)?.claim.key).toBe('seat');
    await expect(locks.resume(text)).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
  });

  it('ends with the client that takes the ticket', async () => {
    const { provider, locks } = createFreeSetting();
    const text = await (await locks.acquire('seat', { ttl })).transfer();
    delete provider.answers.release;
    const outcome = watch(locks.resume(text));
    await settle();
    void locks.close();
    answerWell(provider);
    provider.releases.find(({ claim }) => !claim.key.endsWith('/turn'))?.answer(true);
    await settle();
    expect(outcome.error).toMatchObject({ code: 'LOCK_CLOSED' });
  });
});

it('a late copy of a command lets no second process resume the lease', async () => {
  const runtime = new VirtualRuntime();
  const store = createMemoryStore({ runtime });
  const provider = createMemoryProvider({ store });
  const claims: Claim[] = [];
  const tryAcquire = provider.tryAcquire.bind(provider);
  provider.tryAcquire = (claim, wake) => {
    claims.push(claim);
    return tryAcquire(claim, wake);
  };
  const [one, two] = [createLocks(provider, { runtime, ttl }), createLocks(provider, { runtime, ttl })];
  const given = await one.acquire('seat');
  const text = await given.transfer();
  const ticket = claims.find(({ key }) => key === `transfer/${given.owner}`) as Claim;
  expect((await one.resume(text)).held).toBe(true);
  // The ticket is free, so the store grants it to the copy.
  expect((await tryAcquire(ticket)).granted).toBe(true);
  await expect(two.resume(text)).rejects.toMatchObject({ code: 'LOCK_LOST', key: 'seat' });
});

it('a resumer whose turn has ended meanwhile does not go on with the lease', async () => {
  const { runtime, provider, locks } = createFreeSetting();
  const text = await (await locks.acquire('seat', { ttl })).transfer();
  delete provider.answers.release;
  const outcome = watch(locks.resume(text));
  await settle();
  // The process stood still, and another one had its turn.
  provider.answers.renew = (call) => call.answer(false);
  await runtime.advance(ttl);
  answerWell(provider);
  provider.releases.find(({ claim }) => !claim.key.endsWith('/turn'))?.answer(true);
  await settle();
  expect(outcome.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', key: 'seat' });
});

it('a lease of one store is not resumed in another', async () => {
  const runtime = new VirtualRuntime();
  const [one, two] = [1, 2].map(() => createLocks(createMemoryProvider({ runtime }), { runtime, ttl }));
  const text = await (await one!.acquire('seat')).transfer();
  await expect(two!.resume(text)).rejects.toMatchObject({ code: 'LOCK_LOST' });
  expect((await one!.resume(text)).held).toBe(true);
});
