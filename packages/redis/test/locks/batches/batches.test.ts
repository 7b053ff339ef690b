import { startRedis } from '@locks/test-servers';
import { createLocks } from '@locks/core';
import type { Redis } from 'ioredis';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { RedisOptions } from '../../../src/index.ts';
import type { ScriptInput } from '../../../src/wire/script-call.ts';
import { clients, connect, eventually, ownPrefix, withCopies } from '../../support/redis.ts';
import { checks, claimOf } from './checks.ts';
import type { Check, Setting } from './checks.ts';
import { flawed, scriptNames } from '../../support/flaws.ts';
import type { Flaw } from '../../support/flaws.ts';
import { providerOver } from '../../support/over.ts';

// The tests flush its scripts and pause it.
const server = await startRedis();
afterAll(() => server.stop());

interface Watched extends Setting {
  /** The scripts that were called, by name. */
  readonly calls: string[];
}

async function createSetting(
  client: Redis = connect({}, server.url),
  change: (call: () => Promise<unknown>, name: string | undefined, input: ScriptInput) => Promise<unknown> = (call) =>
    call(),
  options: RedisOptions = {},
): Promise<Watched> {
  const calls: string[] = [];
  const prefix = ownPrefix();
  await client.ping();
  const watched = withCopies(client, (copy) => client.duplicate(copy));
  watched.evalsha = (sha, ...input) => {
    const name = scriptNames.get(sha) ?? sha;
    calls.push(name);
    return change(() => client.evalsha(sha, ...input), name, input);
  };
  watched.eval = (lua, ...input) => {
    calls.push('EVAL');
    return client.eval(lua, ...input);
  };
  const other = connect({}, server.url);
  return {
    ...{ client, prefix, calls },
    provider: providerOver(watched, { prefix, ...options }),
    other: providerOver(other, { prefix }),
  };
}

/** The scripts that were called by their digests. */
const known = ({ calls }: Pick<Watched, 'calls'>): readonly string[] => calls.filter((call) => call !== 'EVAL');

describe.each(clients)('calls of one tick, with %s', (_name, create) => {
  const open = (): Redis => {
    const client = create(server.url);
    onTestFinished(() => client.disconnect());
    return client;
  };

  test.each(Object.entries(checks))('%s', async (_check, check) => {
    await check(await createSetting(open()));
  });

  test('travel as one script, up to 32 of them', async () => {
    const setting = await createSetting(open());
    const { provider } = setting;
    const claims = Array.from({ length: 65 }, (_, index) => claimOf(`key ${index}`));
    const all = <T>(call: (claim: (typeof claims)[number]) => Promise<T>): Promise<T[]> =>
      Promise.all(claims.map(call));
    // New code takes long, and calls of one tick that differ by 16 ms are no batch.
    await all((claim) => provider.tryAcquire(claim));
    await all((claim) => provider.release(claim));
    setting.calls.length = 0;
    for (const answer of await all((claim) => provider.tryAcquire(claim))) expect(answer.granted).toBe(true);
    expect(await all((claim) => provider.renew(claim))).toEqual(claims.map(() => ({})));
    expect(await all((claim) => provider.release(claim))).toEqual(claims.map(() => true));
    const kinds = ['acquire', 'renew', 'release'];
    expect(known(setting)).toEqual(kinds.flatMap((kind) => [`${kind}Each`, `${kind}Each`, kind]));
  });
});

const noQueue = "redis.call('EXISTS', KEYS[key + width - 1]) == 0";
const otherOwner = "if redis.call('GET', key) ~= owner then return 0 end";

const flaws: readonly Flaw<Check>[] = [
  {
    name: 'the error of a neighbour leaks',
    script: 'releaseEach',
    from: 'pcall(decide, ARGV[i], KEYS[key], KEYS[key + 1])',
    to: 'true, decide(ARGV[i], KEYS[key], KEYS[key + 1])',
    fails: 'an error of one key does not touch the releases of others',
  },
  {
    name: 'a token of one key is given to another',
    script: 'acquireEach',
    from: 'replies[i - first + 1]',
    to: 'replies[#ARGV - i + 1]',
    fails: 'a key gets its own token',
  },
  {
    name: 'all keys share the counter of the first',
    script: 'acquireEach',
    from: 'mint(counter,',
    to: 'mint(KEYS[2],',
    fails: 'a key gets its own token',
  },
  {
    name: 'a claim passes the queue',
    script: 'acquireEach',
    from: noQueue,
    to: 'true',
    fails: 'a key that is held or awaited is not taken',
  },
  {
    name: 'the only queue is overlooked',
    script: 'acquireEach',
    from: 'unpack(queues)) > 0',
    to: 'unpack(queues)) > 1',
    fails: 'a key that is held or awaited is not taken',
  },
  {
    name: 'a claim takes what another one holds',
    script: 'acquireEach',
    from: "'NX', ",
    to: '',
    fails: 'a key that is held or awaited is not taken',
  },
  {
    name: 'a release forgets the waiter',
    script: 'releaseEach',
    from: noQueue,
    to: 'true',
    fails: 'a release tells the waiter',
  },
  {
    name: 'a release frees the hold of another claim',
    script: 'releaseEach',
    from: otherOwner,
    to: '',
    fails: 'a release frees what its own claim holds',
  },
  {
    name: 'a renewal prolongs the hold of another claim',
    script: 'renewEach',
    from: otherOwner,
    to: '',
    fails: 'a renewal restarts the ttl of what its own claim holds',
  },
  {
    name: 'a renewal leaves the counter to its end',
    script: 'renewEach',
    from: "redis.call('PEXPIRE', counter, ARGV[2])",
    to: "redis.call('PTTL', counter)",
    fails: 'a renewal keeps the counter',
  },
];

test.each(flaws)('finds that $name, as "$fails" fails', async (flaw) => {
  const client = connect({}, server.url);
  const setting = await createSetting(client, (call, name, input) =>
    name === flaw.script ? client.eval(flawed(flaw), ...input) : call(),
  );
  await expect(checks[flaw.fails](setting)).rejects.toThrow(/expected/);
});

test('a call with other arguments travels apart', async () => {
  const setting = await createSetting();
  const { provider } = setting;
  const claims = ['a', 'b', 'c', 'd', 'e'].map((key) => claimOf(key));
  const [first, second, third, fourth, fifth] = claims.map((claim, index) => ({
    ...claim,
    ttl: index < 2 ? 5_000 : 8_000,
  }));
  const answers = [first!, second!, third!, fourth!, { ...fifth!, floor: 9n }].map((claim) =>
    provider.tryAcquire(claim),
  );
  for (const answer of await Promise.all(answers)) expect(answer.granted).toBe(true);
  expect(known(setting)).toEqual(['acquireEach', 'acquireEach', 'acquire']);
});

test('a server that has lost the script gets its text once', async () => {
  const { provider, calls, client } = await createSetting();
  const claims = ['a', 'b', 'c'].map((key) => claimOf(key));
  await client.script('FLUSH');
  for (let round = 0; round < 2; round += 1) {
    for (const answer of await Promise.all(claims.map((claim) => provider.tryAcquire(claim)))) {
      expect(answer.granted).toBe(true);
    }
    for (const claim of claims) await provider.release(claim);
  }
  expect(calls.filter((call) => /^acquire|EVAL/.test(call))).toEqual(['acquireEach', 'EVAL', 'EVAL', 'acquireEach']);
});

test('a claim is not tried again once its call is over', async () => {
  const { provider, other, calls, client } = await createSetting(undefined, undefined, { timeout: 300 });
  const holders = ['a', 'b'].map((key) => claimOf(key));
  for (const holder of holders) await other.tryAcquire(holder);
  await Promise.all(['c', 'd'].map((key) => provider.tryAcquire(claimOf(key))));
  calls.length = 0;
  await client.client('PAUSE', 600);
  const answers = await Promise.allSettled(['a', 'b'].map((key) => provider.tryAcquire(claimOf(key))));
  for (const [index, key] of ['a', 'b'].entries()) {
    const message = `Redis did not answer an attempt on "${key}" within 300 ms.`;
    expect(answers[index]).toMatchObject({ reason: { code: 'LOCK_UNAVAILABLE', message } });
  }
  await client.ping();
  for (const holder of holders) expect(await other.release(holder)).toBe(true);
  expect(calls).toEqual(['acquireEach']);
});

test('a lost connection makes each call unknown, and a repeat finds what the call left', async () => {
  let lost = true;
  const { provider, client, prefix } = await createSetting(undefined, async (call) => {
    const reply = await call();
    if (lost) throw new Error('Connection is closed.');
    return reply;
  });
  const claims = ['a', 'b', 'c'].map((key) => claimOf(key));
  const answers = await Promise.allSettled(claims.map((claim) => provider.tryAcquire(claim)));
  for (const answer of answers) expect(answer).toMatchObject({ reason: { code: 'LOCK_UNAVAILABLE' } });
  lost = false;
  for (const claim of claims) {
    const token = await client.get(`{${prefix}${claim.key}}:token`);
    expect(await provider.tryAcquire(claim)).toEqual({ granted: true, token: BigInt(token ?? 0) });
  }
});

test('a key that claims of this process wait for is decided by its own scripts', async () => {
  const { provider, calls } = await createSetting();
  const claims = ['hot', 'a', 'b'].map((key) => claimOf(key));
  for (const claim of claims) await provider.tryAcquire(claim);
  const locks = createLocks(provider);
  const waiting = locks.withLock('hot', () => {});
  await eventually('the waiter', async () => (await provider.inspect('hot')).waiters === 1);
  // Behind the look that the waiter takes once it hears its channel.
  await provider.inspect('hot');
  calls.length = 0;
  expect(await Promise.all(claims.map((claim) => provider.release(claim)))).toEqual([true, true, true]);
  await waiting;
  expect(known({ calls }).slice(0, 2).toSorted()).toEqual(['release', 'releaseEach']);
  expect(known({ calls })).not.toContain('acquireEach');
  await locks.close();
});
