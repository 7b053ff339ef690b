import { describe, expect, it } from 'vitest';
import { createMemoryProvider, LockError, openLocks } from '../../src/index.ts';
import type { LockProvider, LocksConfig } from '../../src/index.ts';
import { adapters } from '../../src/open/adapter-modules.ts';
import { createDeferred } from '../../src/time/deferred.ts';
import { importCopy } from '../support/import-copy.ts';
import { watch } from '../support/setting.ts';
import { standIn } from '../support/stand-in.ts';
import { VirtualRuntime, settle } from '../support/virtual-runtime.ts';
import { misconfigured, refusal as rejection } from '../support/lock-error.ts';

const known = Object.values(adapters).flatMap((adapter) => adapter.schemes);

/** What `openLocks` rejects with. */
const refusal = (target: unknown): ReturnType<typeof rejection> => rejection(openLocks(target as LocksConfig));

const memoryLike = `export function fromConfig() {
  const answer = async () => {};
  return { name: 'third-party', traits: {}, tryAcquire: answer, renew: answer, release: answer, inspect: answer, close: answer };
}`;

describe('openLocks refuses with LOCK_MISCONFIGURED', () => {
  it.each<[string, unknown, string]>([
    ['null', null, 'needs a URL or a configuration object, not null'],
    ['a URL that is not set', { url: undefined, ttl: 100 }, 'no backend was given; set option "url"'],
    ['a file with a NUL character', 'sqlite:./locks%00.db', 'option "url" contains a NUL character (%00); remove it'],
    [
      'a user with one',
      new URL('postgres://app%00:secret@db/app'),
      'option "url" contains a NUL character (%00); remove it',
    ],
    ['a database with one', 'mysql://app:secret@db/app%00x', 'option "url" contains a NUL character (%00); remove it'],
    ['an empty URL', '', 'the URL has no scheme'],
    ['a scheme that is a property of every object', 'constructor://host', 'no adapter is known for the scheme'],
    ['an empty provider', { provider: '' }, 'option "provider" must be'],
    ['a module of Node', { provider: 'cluster' }, 'does not export a function fromConfig'],
    ['a property of every object', { provider: 'constructor' }, 'is neither one of'],
    [
      'an option of the adapter beside the URL',
      { url: 'memory:', waiterTtl: 30 },
      'Put options of an adapter under "options" of openLocks.',
    ],
    ['an option of Locks under "options"', { url: 'memory:', options: { ttl: 5 } }, '"ttl" is an option of the client'],
    ['an unknown option beside the URL', { url: 'memory:', prefix: 'x' }, 'openLocks: unknown option "prefix"'],
  ])('%s', async (_, target, message) => {
    const error = await refusal(target);
    expect(error).toMatchObject({ name: 'LockError', code: 'LOCK_MISCONFIGURED' });
    expect(error.message).toContain(message);
  });

  it.each<[unknown, string]>([
    [7, 'openLocks: it needs a URL or a configuration object, not 7.'],
    [{ url: 7 }, 'openLocks: option "url" must be a string, not 7.'],
    [{ url: 'memory:', options: 7 }, 'openLocks: option "options" must be an object, not 7.'],
    [{ url: 'memory:', options: null }, 'openLocks: option "options" must be an object, not null.'],
    [{}, 'openLocks: no backend was given; set option "url" (redis://host:6379) or option "provider" ("memory").'],
    ['host', 'openLocks: the URL has no scheme; write redis://host:6379, for example.'],
    [
      'CONSUL+a.b-1://host',
      `openLocks: no adapter is known for the scheme "consul+a.b-1:". Known: memory, ${known.join(', ')}. Install a package named locks-consul, or pass its module: { provider: "module-id", url }.`,
    ],
    [
      { provider: 7 },
      'openLocks: option "provider" must be an adapter\'s name, a module id or a module that exports fromConfig, not 7.',
    ],
    [
      { provider: 'x://y' },
      'openLocks: option "provider" is an adapter\'s name, a module id or a path; put a URL in option "url".',
    ],
    [
      { provider: 'no-such-adapter' },
      `openLocks: provider "no-such-adapter" is neither one of memory, ${Object.keys(adapters).join(', ')} nor a module that can be imported. Install it, or correct its name.`,
    ],
    [{ provider: 'node:fs' }, 'openLocks: module "node:fs" does not export a function fromConfig.'],
    [
      'memory:?ttl=1',
      'The URL of openLocks: option "ttl" must be an integer from 50 to 86400000 (ms), or text such as "30s", not "1".',
    ],
    ['memory://host', 'The URL of the memory provider must be "memory:", followed by options only.'],
    [
      'memory:?waiterTtl=29',
      'The memory provider: option "waiterTtl" must be an integer from 30 to 86400000 (ms), or text such as "30s", not "29".',
    ],
  ])('and names the way out: %j', async (target, message) => {
    expect(await refusal(target)).toMatchObject({ code: 'LOCK_MISCONFIGURED', message });
  });
});

describe('a missing adapter', () => {
  it('is answered with the command that installs it', async () => {
    const copy = await importCopy(await standIn({}));
    for (const { packages, schemes } of Object.values(adapters)) {
      const text = `needs the package ${packages.split(' ')[0]}, which is not installed. Run: npm install ${packages}`;
      for (const scheme of schemes) {
        await expect(copy.openLocks(`${scheme}://host`)).rejects.toMatchObject(misconfigured(text));
      }
    }
  });
});

describe('in a bundle', () => {
  it('a missing adapter is answered with the import that registers it', async () => {
    const copy = await importCopy(await standIn({}), { bundled: true });
    for (const { packages, schemes } of Object.values(adapters).filter(({ schemes: [first] }) => first)) {
      const [name] = packages.split(' ');
      const [scheme] = schemes;
      await expect(copy.openLocks(`${scheme}://host`)).rejects.toMatchObject(
        misconfigured(
          new RegExp(`this code is bundled\\. Import "${name}/register" where the program begins, or pass the module`),
        ),
      );
    }
    await expect(copy.openLocks({ provider: 'their-adapter' })).rejects.toMatchObject(
      misconfigured('this code is bundled. Pass the module itself: { provider: <module>, url }'),
    );
  });
});

describe('an adapter of the user', () => {
  it('is found from where the process stands, by its package name', async () => {
    await standIn({
      'node_modules/their-adapter/package.json': '{"name":"their-adapter","type":"module","exports":"./index.js"}',
      'node_modules/their-adapter/index.js': memoryLike,
    });
    const locks = await openLocks({ provider: 'their-adapter' });
    expect(locks.name).toBe('third-party');
  });

  it('is found beside this package, also when it can only be imported', async () => {
    const copy = await importCopy(
      await standIn({
        'node_modules/import-only/package.json': '{"type":"module","exports":{"import":"./index.js"}}',
        'node_modules/import-only/index.js': memoryLike,
      }),
    );
    expect((await copy.openLocks({ provider: 'import-only' })).name).toBe('third-party');
  });

  it('is found by a path from where the process stands, never among the files of this package', async () => {
    await standIn({ 'package.json': '{"type":"module"}', 'clock.ts': memoryLike, 'errors.js': memoryLike });
    expect((await openLocks({ provider: './clock.ts' })).name).toBe('third-party');
    expect((await openLocks({ provider: './errors.js' })).name).toBe('third-party');
  });

  it('that throws when it is imported is named, and what it threw is the cause', async () => {
    await standIn({ 'package.json': '{"type":"module"}', 'broken.js': 'throw new Error("broken inside")' });
    expect(await refusal({ provider: './broken.js' })).toMatchObject({
      code: 'LOCK_MISCONFIGURED',
      message: expect.stringContaining('module "./broken.js" threw when it was imported'),
      cause: expect.objectContaining({ message: 'broken inside' }),
    });
  });

  it.each([
    'data:text/javascript,globalThis.ran=true',
    'DATA:text/javascript,globalThis.ran=true',
    'http:x',
    'redis:me:hunter2@host',
  ])('is no URL, which could be code: %s', async (provider) => {
    const error = await refusal({ provider });
    expect(error).toMatchObject(misconfigured('a path; put a URL'));
    expect(error.message).not.toContain('hunter2');
    expect(globalThis).not.toHaveProperty('ran');
  });
});

describe('an adapter that cannot open its backend', () => {
  it('makes openLocks reject with LOCK_UNAVAILABLE and the cause', async () => {
    const cause = new Error('connection refused');
    const error = await refusal({
      provider: {
        fromConfig() {
          throw cause;
        },
      },
    });
    const message = 'openLocks: the adapter could not connect to its backend; see the cause.';
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', cause, message });
  });

  it.each([
    ['has no URL', undefined],
    ['has no password', 'redis://me@host'],
    ['has an empty password', 'redis://me:@host'],
  ])('rejects with the very error that it had when the configuration %s', async (_, url) => {
    const cause = new Error('connection refused');
    expect((await refusal({ url, provider: { fromConfig: () => Promise.reject(cause) } })).cause).toBe(cause);
  });

  it('rejects with an error of its own where the password must not be shown', async () => {
    const rejecting = (reason: unknown) => ({
      url: 'redis://me:100%@host',
      provider: { fromConfig: () => Promise.reject(reason) },
    });
    expect((await refusal(rejecting('no entry for 100%'))).cause).toMatchObject({
      name: 'Error',
      message: 'no entry for ***',
    });
    expect((await refusal(rejecting(new TypeError('100% is wrong')))).cause).toMatchObject({
      name: 'TypeError',
      message: '*** is wrong',
    });
  });

  it('may also return no provider', async () => {
    expect(await refusal({ provider: { fromConfig: () => undefined } })).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  });

  it('may reject with an error of this library, which is passed on', async () => {
    const own = new LockError('LOCK_MISCONFIGURED', 'Option "prefix" is wrong.');
    expect(await refusal({ provider: { fromConfig: () => Promise.reject(own) } })).toBe(own);
  });
});

it('an adapter that never opens is LOCK_UNAVAILABLE after a minute, and is closed if it opens later', async () => {
  const runtime = new VirtualRuntime();
  const opened = createDeferred<LockProvider>();
  const opening = watch(openLocks({ provider: { fromConfig: () => opened.promise }, runtime }));
  await runtime.advance(59_990);
  expect(opening.state).toBe('open');
  await runtime.advance(20);
  expect(opening.error).toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    message: 'openLocks: the adapter did not connect to its backend within 60000 ms. Check that it is reachable.',
  });
  const provider = createMemoryProvider();
  opened.resolve(provider);
  await settle();
  await expect(provider.inspect('key')).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
  expect(runtime.pendingTimers).toBe(0);
});
