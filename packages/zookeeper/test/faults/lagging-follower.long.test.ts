import type { Claim, LockProvider } from '@locks/core';
import { collect, startZookeeperEnsemble, type ServerHandle, type ZookeeperEnsemble } from '@locks/test-servers';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createZookeeperProvider } from '../../src/index.ts';
import type { ZookeeperOptions } from '../../src/index.ts';
import { serverOptions } from '../support/backends.ts';

/** In ms: what a follower tells is as old. */
const lag = 200;

let ensemble: ZookeeperEnsemble;
let leader: ServerHandle;
let follower: ServerHandle;

beforeAll(async () => {
  ensemble = await startZookeeperEnsemble({ ...serverOptions, initLimit: 50, syncLimit: 20, partitions: true });
  leader = await ensemble.leader();
  const [first] = await ensemble.followers();
  if (first === undefined) throw new Error('the ensemble has no follower');
  follower = first;
}, 120_000);
afterAll(() => ensemble.stop());

const layouts: Readonly<Record<string, Partial<ZookeeperOptions>>> = {
  'in the queue': {},
  'one node per key': { fair: false },
  semaphores: { recipe: 'semaphore' },
};

describe.each(Object.entries(layouts))('a process whose server lags behind (%s)', (name, options) => {
  let near: LockProvider;
  let far: LockProvider;
  let catchUp: () => void;
  let key = '';

  beforeEach(async () => {
    const open = async ({ host, port }: ServerHandle): Promise<LockProvider> => {
      const provider = createZookeeperProvider({
        servers: `${host}:${port}`,
        root: `/lag-${name.replaceAll(' ', '-')}`,
        acl: 'open',
        sessionTimeout: 6_000,
        ...options,
      });
      await provider.inspect('any');
      return provider;
    };
    key = `key ${randomUUID()}`;
    [near, far] = await Promise.all([open(leader), open(follower)]);
    catchUp = ensemble.lag(follower, lag);
  });
  afterEach(async () => {
    catchUp();
    await Promise.all([near.close(), far.close()]);
  });

  const claim = (): Claim => ({ key, owner: `test/${randomUUID()}`, mode: 'exclusive', ttl: 30_000 });

  test('ends a hold by force that was granted a moment ago elsewhere', async () => {
    for (let round = 0; round < 2; round += 1) {
      const held = claim();
      expect(await near.tryAcquire(held)).toMatchObject({ granted: true });
      expect(await far.release(held)).toBe(true);
      expect(await near.renew(held)).toBe(false);
    }
  });

  test('learns at the next renewal, and at a repeated attempt, that its hold was ended by force elsewhere', async () => {
    for (const again of ['renew', 'tryAcquire'] as const) {
      const held = claim();
      expect(await far.tryAcquire(held)).toMatchObject({ granted: true });
      expect(await near.release(held)).toBe(true);
      const other = claim();
      expect(await near.tryAcquire(other)).toMatchObject({ granted: true });
      const answer = await far[again](held);
      expect(answer && 'granted' in answer ? answer.granted : answer).toBe(false);
      expect(await far.release(held)).toBe(false);
      expect(await near.renew(other)).not.toBe(false);
      expect(await near.release(other)).toBe(true);
    }
  });

  test('tells and changes registers as of its call', async () => {
    let text: string | undefined;
    for (const to of ['a', 'b', 'c', undefined]) {
      expect(await near.register?.(key.replace(' ', '-'), { from: text, to })).toBe(to);
      expect(await far.register?.(key.replace(' ', '-'))).toBe(to);
      text = to;
    }
    expect(await far.register?.(key.replace(' ', '-'), { from: undefined, to: 'd' })).toBe('d');
    expect(await near.register?.(key.replace(' ', '-'), { from: 'c', to: 'e' })).toBe('d');
  });

  test('shows who holds, and what is free, as of its call', async () => {
    for (let round = 0; round < 2; round += 1) {
      const held = claim();
      expect(await near.tryAcquire(held)).toMatchObject({ granted: true });
      expect(await far.inspect(key)).toMatchObject({ holders: [{ owner: held.owner }] });
      expect(await collect(far.list?.(key) ?? [])).toEqual([key]);
      expect(await near.release(held)).toBe(true);
      expect(await far.inspect(key)).toEqual({ key, holders: [], waiters: 0 });
    }
  });

  test('is refused what is held, and granted what is free, with a higher token', async () => {
    let latest = 0n;
    for (let round = 0; round < 2; round += 1) {
      const [first, second] = [claim(), claim()];
      const here = await near.tryAcquire(first);
      expect(await far.tryAcquire(second)).toMatchObject({ granted: false });
      expect(await near.release(first)).toBe(true);
      const there = await far.tryAcquire(second);
      expect(await far.release(second)).toBe(true);
      if (!here.granted || !there.granted) throw new Error('a free key was not granted');
      expect(here.token).toBeGreaterThan(latest);
      expect(there.token).toBeGreaterThan(here.token);
      latest = there.token;
    }
  });
});
