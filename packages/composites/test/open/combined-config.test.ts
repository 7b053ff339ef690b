import { writeFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMemoryProvider, openLocks } from '../../../core/src/index.ts';
import type { AdapterConfig } from '../../../core/src/index.ts';
import { readCombined } from '../../src/open/combined-config.ts';
import { readRedlockUrl } from '../../src/open/redlock-url.ts';
import { standIn } from '../../../core/test/support/stand-in.ts';
import { refusal as rejection } from '../../../core/test/support/lock-error.ts';
import { open } from '../../../core/test/support/open.ts';

const password = 'hunter2';

const refusal = (target: unknown): ReturnType<typeof rejection> => rejection(openLocks(target as string));

function combined(...members: readonly unknown[]) {
  return { provider: 'combine', options: { members } };
}

/** A memory adapter that keeps what it was given. */
function makeAdapter() {
  const configs: AdapterConfig[] = [];
  const module = {
    fromConfig(config: AdapterConfig) {
      configs.push(config);
      return createMemoryProvider({ runtime: config.runtime });
    },
  };
  return { configs, module };
}

describe('openLocks with provider "combine"', () => {
  it('opens its members by URL and by configuration', async () => {
    const { configs, module } = makeAdapter();
    const locks = await open({
      provider: 'combine',
      ttl: '5s',
      requires: { fair: true, wake: true },
      options: {
        members: [
          'memory:',
          { provider: 'memory', options: { waiterTtl: '3s' } },
          { provider: module, url: 'x://h?a=1' },
        ],
        need: 'majority',
        memberTimeout: '200ms',
        timeout: '2s',
        fencing: false,
      },
    });
    expect(locks).toMatchObject({ name: 'combine', traits: { fencing: 'none', shared: false } });
    expect(configs).toMatchObject([{ url: 'x://h', options: { a: '1' } }]);
    await locks.withLock('key', async (lease) => {
      expect(lease.remaining).toBeLessThan(5_000);
      expect(await locks.tryAcquire('key')).toBeNull();
    });
  });

  it('takes all members, where "need" says so', async () => {
    const { configs, module } = makeAdapter();
    const member = { provider: module };
    const locks = await open({ provider: 'combine', options: { members: [member, member], need: 'all' } });
    expect(configs).toHaveLength(2);
    expect(locks.traits.shared).toBe(true);
  });

  it('may have composites as members', async () => {
    const locks = await open(combined('memory:', combined('memory:', 'memory:', 'memory:'), 'memory:'));
    expect(await locks.withLock('key', () => 'done')).toBe('done');
  });

  it('is read from a file, with environment variables in the members', async () => {
    const folder = await standIn({});
    vi.stubEnv('MEMBER', 'memory:');
    onTestFinished(() => void vi.unstubAllEnvs());
    const config = combined('${MEMBER}', { url: '${MEMBER}', options: { waiterTtl: '3s' } }, 'memory:');
    await writeFile(`${folder}/locks.config.json`, JSON.stringify(config));
    const locks = await open({ config: 'locks.config.json' });
    expect(locks.name).toBe('combine');
    await writeFile(`${folder}/locks.config.json`, JSON.stringify(combined('memory:', 'memory:?waiterTll=3s')));
    expect((await refusal({ config: 'locks.config.json' })).message).toBe(
      `${folder}/locks.config.json: member 2 of 2 (memory): The memory provider: unknown option "waiterTll". Did you mean "waiterTtl"? Known options: waiterTtl.`,
    );
  });

  it.each<[string, unknown, string]>([
    ['no members', { provider: 'combine' }, 'combine: option "members" must be an array'],
    ['an empty list', combined(), 'at least one'],
    ['a text', { provider: 'combine', options: { members: `redis://me:${password}@h` } }, '(not shown)'],
    ['a misspelt option', { provider: 'combine', options: { memebrs: [] } }, 'Did you mean "members"?'],
    [
      'an option of Locks under "options"',
      { provider: 'combine', options: { members: ['memory:'], ttl: 5 } },
      '"ttl" is an option of the client, not of the adapter: put it next to "options"',
    ],
    [
      'a wrong need',
      { provider: 'combine', options: { members: ['memory:'], need: 'most' } },
      'option "need" must be "majority" or "all", not "most"',
    ],
    [
      'a wrong timeout',
      { provider: 'combine', options: { members: ['memory:'], memberTimeout: '2m' } },
      'option "memberTimeout" must be an integer from 1 to 60000 (ms), or text such as "30s", not "2m"',
    ],
    ['a runtime', { provider: 'combine', options: { members: ['memory:'], runtime: {} } }, 'unknown option "runtime"'],
    ['a URL of its own', { provider: 'combine', url: `redis://me:${password}@host` }, 'provider "combine" has no URL'],
    ['a member that is a number', combined('memory:', 5), 'member 2 of 2: openLocks: a member must be a URL or a'],
    ['a member that is null', combined(null), 'member 1 of 1: openLocks: a member must be'],
    ['a member without a store', combined('memory:', {}), 'member 2 of 2: openLocks: no backend was given'],
    ['a member without a scheme', combined(password), 'member 1 of 1: openLocks: the URL has no scheme'],
    [
      'a member with a strange scheme',
      combined(`consul://me:${password}@h`),
      'member 1 of 1 (consul): openLocks: no adapter is',
    ],
    ['a member with a URL as provider', combined({ provider: `redis://${password}` }), 'member 1 of 1 (adapter): '],
    [
      'an unknown adapter',
      combined('memory:', { provider: 'none' }),
      'member 2 of 2 (none): openLocks: provider "none"',
    ],
    [
      'an option of its adapter',
      combined('memory:', 'memory:?prefix=x'),
      'member 2 of 2 (memory): The memory provider: unknown option "prefix"',
    ],
    [
      'an option of its adapter in the wrong place',
      combined({ url: 'memory:', waiterTtl: 30 }),
      'member 1 of 1: openLocks: unknown option "waiterTtl". Known options: provider, url, options. Options of an adapter are written under "options" of the member.',
    ],
    [
      'an option of Locks in a member',
      combined('memory:', { url: 'memory:', ttl: '5s' }),
      'member 2 of 2: openLocks: option "ttl" is an option of the client, not of a member: write it once, beside "provider" and "options" of the composite.',
    ],
    [
      '"requires" in a member',
      combined({ url: 'memory:', requires: {} }),
      'option "requires" is an option of the client',
    ],
    [
      'an option of Locks in the URL of a member',
      combined('memory:?wait=soon', 'memory:'),
      'member 1 of 2: openLocks: option "wait" in its URL is an option of the client, not of a member',
    ],
    [
      'an option of Locks in a nested member',
      combined('memory:', combined('memory:', 'memory:?label=me')),
      'member 2 of 2 (combine): member 2 of 2: openLocks: option "label" in its URL',
    ],
    [
      'one store twice',
      combined(`redis://me:${password}@h`, 'memory:', `redis://me:${password}@h`),
      'member 3 of 3: it names the same store as member 1',
    ],
    [
      'an adapter that makes no provider',
      combined({ provider: { fromConfig: () => ({}) } }),
      'the result has no tryAcquire()',
    ],
  ])('refuses %s', async (_, target, message) => {
    const error = await refusal(target);
    expect(error).toMatchObject({ code: 'LOCK_MISCONFIGURED', message: expect.stringContaining(message) as string });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(password);
    expect(error.message.length).toBeLessThan(400);
  });

  it('hides the password of each member in what its adapter says', async () => {
    const showing = {
      fromConfig: ({ url }: AdapterConfig) => Promise.reject(new Error(`cannot reach ${url}`)),
    };
    const error = await refusal(
      combined(
        { provider: showing, url: `x://me:${password}@one` },
        { provider: showing, url: `x://me:other-${password}@two` },
      ),
    );
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    const text = inspect(error, { depth: 10, showHidden: true });
    expect(text).toContain('cannot reach x://***@two');
    expect(text).not.toContain(password);
  });
});

describe('a redlock: URL', () => {
  it.each([
    ['redlock://b,a:7000,c', ['redis://a:7000/', 'redis://b:6379/', 'redis://c:6379/']],
    ['redlock://A,B:06379/3', ['redis://a:6379/3', 'redis://b:6379/3']],
    ['REDLOCKS://me:p%40,w@h2:1,h1/', ['rediss://me:p%40,w@h1:6379/', 'rediss://me:p%40,w@h2:1/']],
    ['redlock://:pw@[::1]:7001,[::1]:7000', ['redis://:pw@[::1]:7000/', 'redis://:pw@[::1]:7001/']],
    ['redlock://one', ['redis://one:6379/']],
  ])('names its servers in one order: %s', (url, members) => {
    expect(readRedlockUrl(url)).toEqual(members);
  });

  it.each([
    'redlock:',
    'redlock://',
    'redlock://a,,b',
    'redlock://a,b/main',
    'redlock://a:0,b',
    'redlock://a:65536',
    'redlock://a:b,c',
    `redlock://me:${password}/x@a,b`,
    `redlock://me:1234/${password}@a,b`,
    `redlock://me:${password}@a,me:${password}@b`,
    `redlock://me:${password}?x@a,b`,
    'redlock://::1,b',
  ])('that cannot be read is refused without its text: %s', async (url) => {
    const error = await refusal(url);
    expect(error.code).toBe('LOCK_MISCONFIGURED');
    expect(error.message).toMatch(
      /the (?:query of the )?URL cannot be (?:read|parsed); write (?:redlock:\/\/user:password@host1:6379|\?name=value)/,
    );
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(password);
  });

  it('must not name a server twice', async () => {
    const error = await refusal(`redlock://me:${password}@a,b,A:6379`);
    expect(error.message).toBe('openLocks: the URL has the host a:6379 twice, which would count as two stores.');
  });

  it('cannot be given with members', async () => {
    const error = await refusal({ url: 'redlock://a,b', options: { members: ['memory:'] } });
    expect(error.message).toContain('keep one');
  });

  it('splits its options: what combine knows is its own, the rest is for each member', () => {
    const options = { need: 'all', memberTimeout: '1s', timeout: '3s', fencing: 'false', prefix: 'x:', password };
    expect(readCombined({ url: 'redlock://b,a/1', options })).toEqual({
      rules: { need: 'all', memberTimeout: 1_000, timeout: 3_000, fencing: false },
      members: ['a', 'b'].map((host) => ({
        provider: 'redis',
        url: `redis://${host}:6379/1`,
        options: { timeout: '3s', prefix: 'x:', password },
      })),
    });
  });
});
