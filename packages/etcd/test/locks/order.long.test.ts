import { randomUUID } from 'node:crypto';
import type { Claim } from '@locks/core';
import { eventually } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { open, ownPrefix, sharedServer } from '../support/etcd.ts';
import { startRequestProxy } from '../support/request-proxy.ts';

test('a claim whose place was made by a lost call stays behind the one before it, when the holder releases', async () => {
  const proxy = await startRequestProxy(sharedServer());
  onTestFinished(() => proxy.stop());
  const prefix = ownPrefix();
  const direct = await open({ prefix });
  const provider = await open({ url: `etcd://${proxy.host}:${proxy.port}`, prefix, timeout: 3_000 });
  const claim = (): Claim => ({ key: 'job', owner: `test/${randomUUID()}`, ttl: 20_000, mode: 'exclusive' });
  const [holder, first, second, last] = [claim(), claim(), claim(), claim()];
  const wake = (): void => {};
  await direct.tryAcquire(holder);
  await direct.tryAcquire(first, wake);
  const late = proxy.holdBack(second.owner, '{"mode":"exclusive"}');
  let isHeld = false;
  const lost = (async () => {
    while (!isHeld) await provider.tryAcquire(second, wake).catch(() => {});
  })();
  await late.held;
  isHeld = true;
  await late.deliver();
  await direct.tryAcquire(last, wake);
  await lost;

  let woken = 0;
  let answer = await eventually('an answer', () =>
    provider.tryAcquire(second, () => void woken++).catch(() => undefined),
  );
  expect(answer).toMatchObject({ granted: false });
  await direct.release(holder);
  for (let round = 0; round < 5; round++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    answer = await provider.tryAcquire(second, () => void woken++);
    expect(answer).toMatchObject({ granted: false });
  }
  expect(await direct.tryAcquire(first, wake)).toMatchObject({ granted: true });
  await direct.release(first);
  await eventually('its turn', async () => (await provider.tryAcquire(second, wake)).granted);
  expect(await direct.tryAcquire(last, wake)).toMatchObject({ granted: false });
  await provider.release(second);
  await direct.release(last);
});
