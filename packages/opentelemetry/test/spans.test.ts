import { setTimeout as sleep } from 'node:timers/promises';
import { createLocks, createMemoryProvider } from '@locks/core';
import type { LockProvider } from '@locks/core';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSetting, idOf, parentOf, twoProcesses } from './support/telemetry.ts';

describe('a span of acquire', () => {
  it('is a child of the caller, and that of the hold too, which is linked to it', async () => {
    const { asCaller, spans } = createSetting();
    const { one } = twoProcesses();
    const caller = await asCaller('caller', async (span) => {
      await one.withLock('invoice:4711', { ttl: '20s' }, () => sleep(5));
      return span;
    });
    const [acquire] = spans('acquire invoice');
    const [hold] = spans('hold invoice');
    expect([parentOf(acquire), parentOf(hold)]).toEqual([idOf(caller), idOf(caller)]);
    expect(hold?.links.map(({ context }) => context.spanId)).toEqual([idOf(acquire)]);
    expect([acquire?.kind, hold?.kind]).toEqual([SpanKind.CLIENT, SpanKind.INTERNAL]);
    const about = { 'locks.provider': 'memory', 'locks.key': 'invoice:4711', 'locks.group': 'invoice' };
    const owner = expect.stringMatching(/^one\//) as unknown;
    const all = { ...about, 'locks.mode': 'exclusive', 'locks.owner': owner };
    expect(acquire?.attributes).toEqual({
      ...all,
      'locks.ttl': 20,
      'locks.attempts': 1,
      'locks.acquire.result': 'acquired',
    });
    const token = expect.stringMatching(/^\d+$/) as unknown;
    expect(hold?.attributes).toEqual({
      ...all,
      'locks.token': token,
      'locks.hold.result': 'released',
      'locks.freed': true,
    });
  });

  it('that waits begins with the call, and each of several callers has its own', async () => {
    const { asCaller, spans } = createSetting();
    const { one, two } = twoProcesses();
    const lease = await one.acquire('seat');
    const callers = Promise.all(
      ['a', 'b'].map((name) =>
        asCaller(name, async (span) => {
          await two.withLock('seat', () => {});
          return span;
        }),
      ),
    );
    await sleep(30);
    await lease.release();
    const ids = (await callers).map((span) => idOf(span));
    const ofCallers = (name: string) => spans(name).filter((span) => ids.includes(parentOf(span)));
    const waited = ofCallers('acquire seat');
    for (const some of [waited, ofCallers('hold seat')]) {
      expect(new Set(some.map((span) => parentOf(span)))).toEqual(new Set(ids));
      expect(some).toHaveLength(2);
    }
    for (const { events, duration } of waited) {
      expect(events.map(({ name }) => name)).toEqual(['locks.wait']);
      expect(duration[0] * 1e3 + duration[1] / 1e6).toBeGreaterThan(25);
    }
  });

  it('tells busy, timed out and aborted apart', async () => {
    const { asCaller, spans } = createSetting();
    const { one, two } = twoProcesses();
    const lease = await one.acquire('seat');
    const caller = await asCaller('caller', async (span) => {
      expect(await two.tryAcquire('seat')).toBeNull();
      await expect(two.acquire('seat', { wait: 200 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
      const aborting = two.acquire('seat', { signal: AbortSignal.timeout(200) });
      await expect(aborting).rejects.toMatchObject({ name: 'TimeoutError' });
      return span;
    });
    await lease.release();
    const [, busy, timeout, aborted] = spans('acquire seat');
    expect([busy, timeout, aborted].map((span) => parentOf(span))).toEqual([idOf(caller), idOf(caller), idOf(caller)]);
    expect(busy?.attributes).toMatchObject({ 'locks.acquire.result': 'busy' });
    expect(busy?.status.code).toBe(SpanStatusCode.UNSET);
    expect(timeout?.attributes).toMatchObject({ 'locks.acquire.result': 'timeout', 'error.type': 'LOCK_TIMEOUT' });
    expect(timeout?.status).toMatchObject({ code: SpanStatusCode.ERROR, message: expect.stringContaining('seat') });
    expect(aborted?.attributes).toMatchObject({ 'locks.acquire.result': 'aborted' });
    expect(aborted?.attributes).not.toHaveProperty('error.type');
  });

  it('tells of a slow wait, with a link to the hold that it waits for', async () => {
    const { spans } = createSetting();
    const { one, two } = twoProcesses({ slowWait: 20 });
    const lease = await one.acquire('seat');
    const waiting = two.acquire('seat');
    await sleep(80);
    await lease.release();
    await (await waiting).release();
    const [, slow] = spans('acquire seat');
    const [held] = spans('hold seat');
    expect(slow?.events.map(({ name, attributes }) => [name, attributes])).toEqual([
      ['locks.wait', {}],
      ['locks.slow', { 'locks.slow.reason': 'threshold', 'locks.holders': ['one'] }],
    ]);
    expect(slow?.links.map(({ context }) => context.spanId)).toEqual([idOf(held)]);
  });

  it('goes on where a grant came too late', async () => {
    const { spans, collect } = createSetting();
    const memory = createMemoryProvider();
    const delays = [1_100];
    const tryAcquire: LockProvider['tryAcquire'] = async (claim, wake) => {
      const answer = await memory.tryAcquire(claim, wake);
      await sleep(delays.pop() ?? 0);
      return answer;
    };
    const late: LockProvider = {
      name: memory.name,
      traits: memory.traits,
      tryAcquire,
      renew: (claim) => memory.renew(claim),
      release: (claim) => memory.release(claim),
      inspect: (key) => memory.inspect(key),
      close: () => memory.close(),
    };
    const locks = createLocks(late);
    onTestFinished(() => locks.close());
    const lease = await locks.acquire('seat', { ttl: 1_000 });
    await lease.release();
    const [acquire, ...others] = spans('acquire seat');
    expect(others).toEqual([]);
    expect(acquire?.events.map(({ name }) => name)).toContain('locks.grant_too_late');
    expect(acquire?.attributes['locks.owner']).toBe(lease.owner);
    const metrics = await collect();
    expect(metrics.get('locks.waiting')?.map(({ value }) => value)).toEqual([0]);
  });
});

describe('a span of a hold', () => {
  it('is the parent of what work does within it', async () => {
    const { asCaller, spans, telemetry } = createSetting();
    const { one } = twoProcesses();
    const result = await one.withLock('seat', (lease) =>
      telemetry.within(lease, async ({ token }) => {
        await sleep(1);
        return asCaller('work', () => Promise.resolve(token));
      }),
    );
    const [hold] = spans('hold seat');
    expect(parentOf(spans('work')[0])).toBe(idOf(hold));
    expect(`${result}`).toBe(hold?.attributes['locks.token']);
  });

  it('has its renewals with their margin, and ends once where the lease is lost', async () => {
    const { asCaller, spans, telemetry } = createSetting();
    const { one, two } = twoProcesses();
    const lease = await one.acquire('seat', { ttl: '30s' });
    await lease.renew();
    const [holder] = (await two.inspect('seat')).holders;
    if (holder !== undefined) await two.forceRelease(holder);
    await expect(lease.renew()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    // Work may outlast the hold, and its span then has no parent.
    await telemetry.within(lease, () => asCaller('work', () => Promise.resolve()));
    await lease.release();
    const [hold, ...others] = spans('hold seat');
    expect(others).toEqual([]);
    expect(hold?.attributes).toMatchObject({
      'locks.hold.result': 'lost',
      'locks.loss.code': 'not-held',
      'error.type': 'not-held',
    });
    expect(hold?.status.code).toBe(SpanStatusCode.ERROR);
    const renewals = hold?.events.map(({ attributes = {} }) => attributes) ?? [];
    expect(renewals.map((attributes) => attributes['locks.renewal.result'])).toEqual(['renewed', 'refused']);
    expect(renewals[0]?.['locks.remaining']).toBeGreaterThan(29);
    expect(renewals[0]?.['locks.renewal.duration']).toBeLessThan(5);
    expect(parentOf(spans('work')[0])).toBeUndefined();
  });

  it('ends where the lease is handed over, and another begins where it is resumed', async () => {
    const { spans } = createSetting();
    const { one, two } = twoProcesses();
    const given = await one.acquire('seat');
    const resumed = await two.resume(await given.transfer());
    await resumed.release();
    const holds = spans('hold seat');
    expect(holds.map(({ attributes }) => attributes['locks.hold.result'])).toEqual(['transferred', 'released']);
    expect(holds.map(({ attributes }) => attributes['locks.owner'])).toEqual([given.owner, given.owner]);
    expect(holds.map(({ links }) => links.length)).toEqual([1, 0]);
  });

  it('ends with the telemetry, which tells nothing from then on', async () => {
    const { spans, telemetry } = createSetting();
    const { one } = twoProcesses();
    const lease = await one.acquire('seat');
    telemetry.end();
    telemetry[Symbol.dispose]();
    await lease.release();
    await one.withLock('other', () => {});
    expect(spans().map(({ name }) => name)).toEqual(['acquire seat', 'hold seat']);
    expect(telemetry.within(lease, ({ key }) => key)).toBe('seat');
  });

  it('is not made where spans are off, and work runs all the same', async () => {
    const { spans, telemetry } = createSetting({ spans: false });
    const { one } = twoProcesses();
    expect(await one.withLock('seat', (lease) => telemetry.within(lease, () => 'done'))).toBe('done');
    expect(spans()).toEqual([]);
  });
});
