import { describe, expect, it } from 'vitest';
import type { Lease } from '../../../src/index.ts';
import { renewAtOnce } from '../../support/scripted-provider.ts';
import type { ScriptedProvider } from '../../support/scripted-provider.ts';
import { createFreeSetting, watch } from '../../support/setting.ts';
import type { Setting } from '../../support/setting.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;

interface DueLeases extends Setting {
  readonly leases: readonly [Lease, Lease, Lease];
}

/** Three leases whose renewals are due at once, until the first of them was sent. */
async function threeDue(): Promise<DueLeases> {
  const setting = createFreeSetting({ ttl, renewsSeveral: true });
  const { runtime, provider, locks } = setting;
  delete provider.answers.renew;
  const leases = (await Promise.all(['a', 'b', 'c'].map((key) => locks.acquire(key)))) as [Lease, Lease, Lease];
  await runtime.advance(330);
  await settle();
  expect(provider.renewedTogether).toEqual([['a', 'b', 'c']]);
  return { ...setting, leases };
}

describe('leases that are due at once', () => {
  it('are renewed by one call, again and again', async () => {
    const { runtime, provider, leases } = await threeDue();
    provider.answers.renew = renewAtOnce;
    for (const call of provider.renewals) call.answer({});
    await runtime.advance(10 * ttl);
    expect(leases.every(({ held }) => held)).toBe(true);
    expect(provider.renewedTogether.length).toBeGreaterThan(25);
    expect(new Set(provider.renewedTogether.map((keys) => keys.join(' ')))).toEqual(new Set(['a b c']));
  });

  it('each have the answer of their own', async () => {
    const { provider, leases, runtime } = await threeDue();
    const [first, second, third] = provider.renewals;
    first?.answer({ validity: 500 });
    second?.answer(false);
    third?.answer(undefined);
    await settle();
    expect(leases[0].remaining).toBe(493 - (runtime.time - (first?.at ?? 0)));
    expect(leases[1].held).toBe(false);
    // It was left to a call of its own.
    const alone = provider.open('renew');
    expect(alone.claim.key).toBe('c');
    alone.answer({});
    await settle();
    expect(leases[2].remaining).toBe(988 - (runtime.time - alone.at));
  });

  it.each([
    ['is rejected', (provider: ScriptedProvider) => provider.renewals[0]?.reject()],
    ['brings what is no answer for one of them', (provider: ScriptedProvider) => answerAll(provider, [{}, {}, 'yes'])],
  ])('stay held where the call %s, and are asked for again', async (_, end) => {
    const { runtime, provider, leases } = await threeDue();
    end(provider);
    await settle();
    expect(leases.every(({ held }) => held)).toBe(true);
    provider.answers.renew = renewAtOnce;
    for (const call of provider.renewals) if (!call.settled) call.answer({});
    await runtime.advance(3 * ttl);
    expect(leases.every(({ held }) => held)).toBe(true);
  });

  it.each([[undefined], [[{}]], [{}]])('stay held where the call brings %j', async (answers) => {
    const { runtime, provider, leases } = await threeDue();
    const renewAll = provider.renewAll?.bind(provider);
    provider.renewAll = async () => answers as never;
    for (const call of provider.renewals) call.answer({});
    await runtime.advance(330);
    await settle();
    provider.renewAll = renewAll as NonNullable<typeof renewAll>;
    provider.answers.renew = renewAtOnce;
    await runtime.advance(ttl);
    expect(leases.every(({ held }) => held)).toBe(true);
  });

  it('are lost where there is no answer', async () => {
    const { runtime, leases } = await threeDue();
    await runtime.advance(ttl);
    expect(leases.some(({ held }) => held)).toBe(false);
  });

  it('do not tell a caller of renew what it came to: that call sends its own', async () => {
    const { provider, runtime, leases } = await threeDue();
    const renewed = watch(leases[0].renew(), runtime);
    const [first, ...others] = provider.renewals;
    first?.reject();
    for (const call of others) call.answer({});
    await settle();
    expect(renewed.state).toBe('open');
    provider.open('renew').answer(false);
    await settle();
    expect(renewed.error).toMatchObject({ code: 'LOCK_LOST' });
  });

  it('are released while the call is under way, and the others go on', async () => {
    const { provider, leases } = await threeDue();
    await leases[0].release();
    for (const call of provider.renewals) call.answer({});
    await settle();
    expect(leases.map(({ held }) => held)).toEqual([false, true, true]);
    expect(provider.releases).toHaveLength(1);
  });

  it.each([['alone'], ['with others']])('are not renewed %s when another loss has made them end', async (how) => {
    const { runtime, provider, locks } = createFreeSetting({ ttl, renewsSeveral: true });
    // It is lost in the tick in which the others are due.
    const lost = await locks.acquire('lost', { ttl: 345, renew: false });
    const keys = how === 'alone' ? ['a'] : ['a', 'b', 'c'];
    const leases = await Promise.all(keys.map((key) => locks.acquire(key)));
    lost.signal.addEventListener('abort', () => void leases[0]?.release());
    runtime.block(345);
    await runtime.advance(1);
    await settle();
    expect(lost.held).toBe(false);
    expect(provider.renewals.map(({ claim }) => claim.key)).not.toContain('a');
    expect(provider.violations).toEqual([]);
  });

  it('are in one call only if they have one ttl, and are exclusive', async () => {
    const { runtime, provider, locks } = createFreeSetting({ ttl, renewsSeveral: true });
    await Promise.all([
      locks.acquire('a'),
      locks.acquire('b', { ttl: 1_001 }),
      locks.acquire('c'),
      locks.acquire('d', { ttl: 1_001 }),
      locks.acquire('e', { mode: 'shared' }),
      locks.acquire('f', { ttl: 5_000 }),
    ]);
    await runtime.advance(330);
    await settle();
    expect(provider.renewedTogether).toEqual([
      ['a', 'c'],
      ['b', 'd'],
    ]);
    expect(provider.renewals.map(({ claim }) => claim.key).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});

function answerAll(provider: ScriptedProvider, answers: readonly unknown[]): void {
  provider.renewals.forEach((call, index) => call.answer(answers[index]));
}
