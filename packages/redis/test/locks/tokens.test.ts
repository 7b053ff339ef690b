import type { Claim, Grant } from '@locks/core';
import { describe, expect, inject, test } from 'vitest';
import { clients, closeAfterTest, ownPrefix } from '../support/redis.ts';
import { providerOver } from '../support/over.ts';

const last = 2n ** 53n;

describe.each(clients)('tokens near 2^53 with %s', (_name, create) => {
  function open(options: object = {}): (claim: Partial<Claim>) => Promise<bigint> {
    const client = create(inject('redisUrl'), options);
    closeAfterTest(client);
    const provider = providerOver(client, { prefix: ownPrefix() });
    return async (changes) => {
      const claim: Claim = { key: 'job', owner: 'a/1', ttl: 60_000, mode: 'exclusive', ...changes };
      const { token } = (await provider.tryAcquire(claim)) as Grant;
      expect((await provider.tryAcquire(claim)) as Grant).toEqual({ granted: true, token });
      expect((await provider.inspect('job')).holders).toMatchObject([{ owner: claim.owner, token }]);
      expect(await provider.release(claim)).toBe(true);
      return token;
    };
  }

  test.each([
    ['exclusive', {}],
    ['shared', {}],
    ['exclusive', { stringNumbers: true }],
  ] as const)('are exact, %s, with %j', async (mode, options) => {
    const take = open(options);
    const floor = last - 70n;
    const tokens = [await take({ mode, floor, owner: 'a/0' })];
    for (let index = 1; index <= 60; index += 1) tokens.push(await take({ mode, owner: `a/${index}` }));
    expect(tokens).toEqual(tokens.map((_, index) => floor + 1n + BigInt(index)));
  });

  test.each(['exclusive', 'shared'] as const)('end rather than repeat, %s: nothing is granted then', async (mode) => {
    const client = create(inject('redisUrl'), {});
    closeAfterTest(client);
    const provider = providerOver(client, { prefix: ownPrefix() });
    const first: Claim = { key: 'job', owner: 'a/1', ttl: 60_000, mode, floor: last - 1n };
    expect(await provider.tryAcquire(first)).toEqual({ granted: true, token: last });
    if (mode === 'exclusive') expect(await provider.release(first)).toBe(true);
    const next: Claim = { key: 'job', owner: 'b/1', ttl: 60_000, mode };
    for (const attempt of ['first', 'repeated']) {
      await expect(provider.tryAcquire(next), attempt).rejects.toMatchObject({
        code: 'LOCK_INVALID',
        message: expect.stringContaining('2^53') as string,
      });
    }
    const { holders } = await provider.inspect('job');
    expect(holders.map(({ owner }) => owner)).toEqual(mode === 'shared' ? ['a/1'] : []);
  });
});
