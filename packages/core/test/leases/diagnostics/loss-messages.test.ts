import { describe, expect, it, onTestFinished } from 'vitest';
import { subscribe } from '../../../src/index.ts';
import type { LockProvider, LossCode } from '../../../src/index.ts';
import { createFreeSetting, createSetting } from '../../support/setting.ts';
import { freeAtOnce } from '../../support/scripted-provider.ts';
import type { VirtualRuntime } from '../../support/virtual-runtime.ts';
import { lockError } from '../../support/lock-error.ts';

const ttl = 300;

describe('the message of LOCK_LOST', () => {
  it.each([
    ['was not renewed', 'it was not renewed before its validity ended', Infinity],
    ['was held too long', 'its maxHold has passed', 100],
  ])('of a lease that %s says so', async (_, why, maxHold) => {
    const { runtime, take } = createSetting();
    const lease = await take('seat', { ttl, renew: false, maxHold });
    runtime.block(ttl);
    await expect(lease.renew()).rejects.toMatchObject({
      code: 'LOCK_LOST',
      key: 'seat',
      message: `The lease on "seat" is lost: ${why}.`,
    });
  });

  it.each([
    ['a renewal', 1],
    [String.raw`\d+ renewals in a row`, Infinity],
  ])('of a lease that lost %s says so, with the last failure', async (renewals, failures) => {
    const { runtime, provider, take } = createSetting({ answers: { release: freeAtOnce } });
    const lease = await take('seat', { ttl });
    const cause = new Error('connect ECONNREFUSED');
    let calls = 0;
    provider.answers.renew = (call) => {
      calls += 1;
      if (calls <= failures) call.reject(cause);
    };
    await runtime.advance(2 * ttl);
    expect(lease.signal.reason).toMatchObject({
      code: 'LOCK_LOST',
      message: expect.stringMatching(new RegExp(`scripted did not confirm ${renewals}; see the cause\\.$`)) as string,
      cause: { code: 'LOCK_UNAVAILABLE', cause },
    });
  });

  it('of a lease whose renewal has no answer says so', async () => {
    const { runtime, take } = createSetting({ answers: { release: freeAtOnce } });
    const lease = await take('seat', { ttl });
    await runtime.advance(2 * ttl);
    expect(lease.signal.reason).toMatchObject(
      lockError('LOCK_LOST', /validity ended: scripted has not answered for \d+ ms\.$/),
    );
  });

  it.each([false, true])(
    'of a lease that an outage took names it, with its renewals answered: %s',
    async (answered) => {
      const { runtime, provider, take } = createSetting({ answers: { release: freeAtOnce } });
      const cause = new Error('connect ECONNREFUSED');
      const lease = await take('seat', { ttl });
      // As a session answers that still lasts, and cannot ask its servers.
      if (answered) provider.answers.renew = (call) => call.answer({ validity: lease.remaining });
      (provider as LockProvider).outage = () => cause;
      await runtime.advance(2 * ttl);
      expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST', cause });
      const what = answered ? 'cannot be reached' : String.raw`has not answered for \d+ ms`;
      const { message } = lease.signal.reason as Error;
      expect(message).toMatch(new RegExp(String.raw`ended: scripted ${what}; see the cause\.$`));
    },
  );

  it.each([false, true])(
    'of a lease whose process stood still says so, with a renewal under way: %s',
    async (asked) => {
      const { runtime, take } = createSetting({ answers: { release: freeAtOnce } });
      const lease = await take('seat', { ttl });
      if (asked) void lease.renew().catch(() => {});
      runtime.block(3_000);
      expect(lease.held).toBe(false);
      expect(lease.signal.reason).toMatchObject(
        lockError('LOCK_LOST', /, as this process did not run for 2\d{3} ms\.$/),
      );
    },
  );

  it('of a lease that was lost to others names the provider', async () => {
    const { take } = createSetting({ answers: { renew: (call) => call.answer(false), release: freeAtOnce } });
    await expect((await take('seat')).renew()).rejects.toMatchObject({
      code: 'LOCK_LOST',
      message: 'The lease on "seat" is lost: scripted reports that this owner no longer holds it.',
    });
  });

  it('of work whose lease was lost says what that means', async () => {
    const { runtime, locks } = createFreeSetting();
    const work = (): string => {
      runtime.block(ttl);
      return 'done';
    };
    await expect(locks.withLock('seat', work, { ttl, renew: false })).rejects.toMatchObject({
      code: 'LOCK_LOST',
      key: 'seat',
      result: 'done',
      message:
        'The lease on "seat" is lost: it was not renewed before its validity ended. Its work continued without the lock.',
    });
  });
});

it.each([
  ['not-renewed', { renew: false }, async () => {}],
  ['max-hold', { maxHold: 100 }, async () => {}],
  ['unanswered', {}, async () => {}],
  ['suspended', {}, async (runtime: VirtualRuntime) => runtime.block(3_000)],
] as const)('diagnostics tell by a code why a lease was lost: %s', async (code, options, meanwhile) => {
  const { runtime, take } = createSetting();
  await take('key', { ttl, ...options });
  const codes: LossCode[] = [];
  onTestFinished(subscribe('locks:lost', (message) => void codes.push(message.code)));
  await meanwhile(runtime);
  await runtime.advance(2_000);
  expect(codes).toEqual([code]);
});
