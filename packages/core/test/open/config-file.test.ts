import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openLocks } from '../../src/index.ts';
import type { AdapterConfig, LockError, LocksConfig } from '../../src/index.ts';
import { scriptedAdapter } from '../support/scripted-adapter.ts';
import { standIn } from '../support/stand-in.ts';
import { refusal as rejection } from '../support/lock-error.ts';
import { open } from '../support/open.ts';

afterEach(() => vi.unstubAllEnvs());

/** No variable of the machine that runs the test says where the locks are. */
function environment(variables: Readonly<Record<string, string>> = {}): void {
  for (const name of ['LOCKS_URL', 'LOCKS_CONFIG']) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
}

async function refusal(...input: Parameters<typeof openLocks>): Promise<LockError> {
  const error = await rejection(openLocks(...input));
  expect(error).toMatchObject({ name: 'LockError', code: 'LOCK_MISCONFIGURED' });
  return error as LockError;
}

/** The source of an adapter that answers with what it was given as the label of its traits. */
const echo = `import { createMemoryProvider } from ${JSON.stringify(new URL('../../src/index.ts', import.meta.url).href)};
export function fromConfig({ url, options, runtime }) {
  globalThis.seenByEcho = { url, options };
  return createMemoryProvider({ runtime });
}`;
const seen = (): Pick<AdapterConfig, 'url' | 'options'> =>
  (globalThis as unknown as { seenByEcho: AdapterConfig }).seenByEcho;

describe('openLocks without an argument', () => {
  it('reads LOCKS_URL', async () => {
    await standIn({});
    environment({ LOCKS_URL: 'memory:?waiterTtl=3s&label=from-environment' });
    const locks = await open();
    expect((await locks.acquire('key')).owner).toMatch(/^from-environment\//);
  });

  it('reads the file that LOCKS_CONFIG names', async () => {
    const file = '\ufeff{ "provider": "memory", "ttl": "20s", "label": "other", "options": { "waiterTtl": 30 } }';
    await standIn({ 'etc/locks.json': file });
    environment({ LOCKS_CONFIG: 'etc/locks.json' });
    const locks = await open();
    const lease = await locks.acquire('key');
    expect(lease.owner).toMatch(/^other\//);
    expect(lease.remaining).toBeLessThan(20_000);
  });

  it('reads no file that nothing names', async () => {
    await standIn({ 'locks.config.json': '{ "url": "memory:" }' });
    environment();
    expect((await refusal()).message).toContain('no URL or configuration was given');
  });

  it('takes LOCKS_URL with its query for the URL of the file, and its options as stronger', async () => {
    await standIn({
      'package.json': '{"type":"module"}',
      'echo.ts': echo,
      'locks.json': JSON.stringify({
        provider: './echo.ts',
        url: 'x://file?a=1&b=1',
        label: 'file',
        ttl: '20s',
        options: { b: 2, c: 2, d: 2 },
      }),
    });
    environment({ LOCKS_CONFIG: 'locks.json', LOCKS_URL: 'x://environment?c=3&e=3&label=environment' });
    const locks = await open(undefined, { ttl: '40s' });
    expect(seen()).toEqual({ url: 'x://environment', options: { b: 2, c: '3', d: 2, e: '3' } });
    const lease = await locks.acquire('key');
    expect(lease.owner).toMatch(/^environment\//);
    expect(lease.remaining).toBeGreaterThan(30_000);
  });

  it.each([{}, { LOCKS_URL: '', LOCKS_CONFIG: '' }])('says what to set where nothing is set: %j', async (variables) => {
    await standIn({});
    environment(variables);
    expect((await refusal()).message).toBe(
      'openLocks: no URL or configuration was given; pass one, or set LOCKS_URL (redis://host:6379) or LOCKS_CONFIG (a file).',
    );
  });

  it('names LOCKS_URL where that is wrong, and not its password', async () => {
    await standIn({});
    environment({ LOCKS_URL: 'consul://user:hunter2@host' });
    const error = await refusal();
    expect(error.message).toMatch(/^LOCKS_URL: openLocks: no adapter is known for the scheme "consul:"/);
    expect(inspect(error)).not.toContain('hunter2');
  });

  it('does not read the environment where the argument names no backend', async () => {
    await standIn({});
    environment({ LOCKS_URL: 'memory:' });
    expect((await refusal({ url: undefined })).message).toContain('no backend was given');
  });
});

describe('option "config"', () => {
  it('names a file, and what stands beside it is stronger', async () => {
    const folder = await standIn({
      'etc/locks.json': '{ "url": "x://file?a=1&b=1&ttl=10s", "label": "file", "options": { "a": 2 } }',
    });
    environment({ LOCKS_URL: 'memory:' });
    const { module, configs, ttl } = scriptedAdapter();
    const locks = await open({ config: `${folder}/etc/locks.json`, provider: module, options: { c: 3 }, ttl: '15s' });
    expect(configs[0]).toMatchObject({ url: 'x://file', options: { a: 2, b: '1', c: 3 } });
    expect(await ttl(locks)).toBe(15_000);
  });

  it('drops the URL of the file, with its query, for another one', async () => {
    await standIn({ 'locks.json': '{ "url": "x://file?a=1&ttl=10s", "options": { "b": 1 } }' });
    const { module, configs, ttl } = scriptedAdapter();
    const locks = await open({ config: 'locks.json', provider: module, url: 'x://code?b=2' });
    expect(configs[0]).toMatchObject({ url: 'x://code', options: { b: '2' } });
    expect(await ttl(locks)).toBe(30_000);
  });

  it.each([5, '', null, {}])('must be a path: %j', async (config) => {
    expect((await refusal({ config } as never)).message).toMatch(
      /^openLocks: option "config" must be the path of a file/,
    );
  });

  it('must name a file that is there and can be read', async () => {
    const folder = await standIn({ 'folder/file': '' });
    expect((await refusal({ config: 'none.json' })).message).toBe(
      `openLocks: the configuration file ${folder}/none.json does not exist.`,
    );
    expect((await refusal({ config: 'folder' })).message).toBe(
      `openLocks: the configuration file ${folder}/folder cannot be read: EISDIR.`,
    );
  });
});

/** What `openLocks` says of a file, after the name of the file. */
async function complaint(text: string): Promise<string> {
  const folder = await standIn({ 'locks.json': text });
  const { message } = await refusal({ config: 'locks.json' });
  expect(message).not.toContain('hunter2');
  expect(message.startsWith(`${folder}/locks.json: `)).toBe(true);
  return message.slice(`${folder}/locks.json: `.length);
}

describe('a configuration file is refused with its name', () => {
  it.each([
    ['no JSON', '{\n  "options": { "password": "hunter2" "db": 1 }\n}', 'not JSON at line 2.'],
    ['nothing', '', 'not JSON.'],
    ['no JSON, with a quoted text', '{ "url": hunter2 at position 5', 'not JSON.'],
    ['no object', '["hunter2"]', 'it must contain an object, such as { "url": "redis://host:6379" }.'],
    ['a text', '"redis://:hunter2@host"', 'it must contain an object, such as { "url": "redis://host:6379" }.'],
    ['a misspelt option', '{ "url": "memory:", "tll": "5s" }', 'openLocks: unknown option "tll". Did you mean "ttl"?'],
    ['a wrong option', '{ "url": "memory:", "ttl": "soon" }', 'openLocks: option "ttl" must be an integer from 50'],
    ['another file', '{ "config": "other.json", "url": "memory:" }', 'openLocks: unknown option "config".'],
    ['a runtime', '{ "url": "memory:", "runtime": {} }', 'openLocks: option "runtime" must be a Runtime'],
    ['no backend', '{ "ttl": "5s" }', 'openLocks: no backend was given;'],
    ['a URL that is no text', '{ "url": 5 }', 'openLocks: option "url" must be a string, not 5.'],
    ['an adapter that is no name', '{ "provider": {} }', 'openLocks: option "provider" must be'],
    [
      'a wrong option of the adapter',
      '{ "url": "memory:", "options": { "waiterTtl": 1 } }',
      'The memory provider: option "waiterTtl" must be an integer',
    ],
    [
      'unmet demands',
      '{ "url": "memory:", "requires": { "scope": "network" } }',
      'The memory provider does not satisfy option "requires"',
    ],
  ])('for %s', async (_, text, message) => {
    expect((await complaint(text)).slice(0, message.length)).toBe(message);
  });
});

describe('a placeholder in a configuration file', () => {
  it('is filled from the environment, in every text', async () => {
    await standIn({
      'locks.json': JSON.stringify({
        url: 'x://${HOST}:${PORT}',
        ttl: '${TTL}',
        options: { db: '${DB}', list: ['a', '${HOST}'], password: 'a$${HOST}$' },
      }),
    });
    environment({ HOST: 'redis', PORT: '7', TTL: '20s', DB: '3' });
    const { module, configs, ttl } = scriptedAdapter();
    const locks = await open({ config: 'locks.json', provider: module });
    expect(configs[0]).toMatchObject({
      url: 'x://redis:7',
      options: { db: '3', list: ['a', 'redis'], password: 'a${HOST}$' },
    });
    expect(await ttl(locks)).toBe(20_000);
  });

  it.each([
    ['{ "url": "${NOT_SET}" }', 'option "url" needs the environment variable NOT_SET, which is not set.'],
    [
      '{ "options": { "tls": { "ca": "${NOT_SET}" } } }',
      'option "options.tls.ca" needs the environment variable NOT_SET, which is not set.',
    ],
    [
      '{ "options": { "password": "hunter2${NOT_SET:-x}" } }',
      'option "options.password" has a placeholder that cannot be parsed; write ${NAME}, or $${ for the characters.',
    ],
    [
      '{ "options": { "password": "hunter2${" } }',
      'option "options.password" has a placeholder that cannot be parsed; write ${NAME}, or $${ for the characters.',
    ],
  ])('is refused with the option where it cannot be filled: %s', async (text, message) => {
    environment();
    vi.stubEnv('NOT_SET', undefined);
    expect(await complaint(text)).toBe(message);
  });

  it('stays as it is in code', async () => {
    const { module, configs } = scriptedAdapter();
    await open({ provider: module, options: { password: '${HOME}' } } satisfies LocksConfig);
    expect(configs[0]?.options).toEqual({ password: '${HOME}' });
  });
});
