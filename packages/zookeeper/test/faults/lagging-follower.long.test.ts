import type { Claim, LockProvider } from '@locks/core';
import { collect, type ServerHandle } from '@locks/test-servers';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createZookeeperProvider } from '../../src/index.ts';
import type { ZookeeperOptions } from '../../src/index.ts';
import { serverOptions } from '../support/backends.ts';
import { ownEnsemble } from '../support/servers.ts';

/** In ms: what a follower tells is as old. */
const lag = 200;

const ensemble = await ownEnsemble({ ...serverOptions, initLimit: 50, syncLimit: 20, partitions: true });
const leader = await ensemble.leader();
const [follower] = await ensemble.followers();
if (follower === undefined) throw new Error('the ensemble has no follower');

const layouts: Readonly<Record<string, Partial<ZookeeperOptions>>> = {
  'in the queue': {},
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
});
