import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMemoryProvider } from '../../src/index.ts';
import { registerAdapter } from '../../src/adapter/index.ts';
import type { AdapterConfig } from '../../src/index.ts';
import { copyCore, importCopy } from '../support/import-copy.ts';
import { standIn } from '../support/stand-in.ts';
import { misconfigured } from '../support/lock-error.ts';
import { open } from '../support/open.ts';

/** A store that this library has no adapter for: a record provider over a map. */
const store = `
  const records = new Map();
  const read = async (key) => ({ ...records.get(key), now: performance.now() });
  const replace = async (key, seen, next) => {
    if (records.get(key)?.version !== seen) return false;
    records.set(key, next);
    return true;
  };
  function fromConfig({ url, options, runtime }) {
    if (!schemes.some((scheme) => url.toLowerCase().startsWith(scheme + '://'))) throw misconfigured('locks', 'its URL is another one');
    return createRecordProvider({ name: schemes[0], scope: 'process', read, replace }, { ...options, runtime });
  }`;

/** Two packages of others, as they are published, and this one beside them. */
const packages = {
  'node_modules/locks-shelf/package.json': '{"name":"locks-shelf","type":"module","exports":"./index.js"}',
  'node_modules/locks-shelf/index.js': `
  import { createRecordProvider, misconfigured } from '@locks/core/adapter';
  export const schemes = ['shelf', 'shelf+tls'];${store}
  export { fromConfig };`,
  'node_modules/locks-crate/package.json': '{"name":"locks-crate","main":"./index.cjs"}',
  'node_modules/locks-crate/index.cjs': `
  const { createRecordProvider, misconfigured } = require('@locks/core/adapter');
  const schemes = ['crate'];${store}
  const adapter = () => ({ schemes, fromConfig });
  module.exports = adapter();`,
};

const work = `
  const names = [];
  for (const target of ['shelf://here?timeout=1s', 'SHELF+TLS://here', 'crate://here?ttl=5s', undefined]) {
    const locks = await openLocks(target);
    names.push(locks.name, await locks.withLock('key', (lease) => lease.token > 0n));
    await locks.close();
  }
  console.log(names.join(' '));`;

describe('an adapter of others is found by the scheme of a URL', () => {
  it.each([
    ['app.mjs', `import { openLocks } from '@locks/core';${work}`],
    ['app.cjs', `const { openLocks } = require('@locks/core');(async () => {${work}})();`],
  ])('in its package, ESM or CommonJS, from %s', async (name, program) => {
    const folder = await standIn({ ...packages, [name]: program });
    await copyCore(join(folder, 'node_modules/@locks/core'));
    const env = { ...process.env, NODE_OPTIONS: '', LOCKS_URL: 'crate://of-the-environment', LOCKS_CONFIG: '' };
    const { stdout } = await promisify(execFile)(process.execPath, [name], { cwd: folder, env, timeout: 30_000 });
    expect(stdout.trim()).toBe('shelf true shelf true crate true crate true');
  });

  it('once it is registered, where this code is bundled', async () => {
    const copy = await importCopy(await standIn({}), { bundled: true });
    const configs: AdapterConfig[] = [];
    const module = {
      schemes: ['attic', 'attics'],
      fromConfig: (config: AdapterConfig) => {
        configs.push(config);
        return createMemoryProvider();
      },
    };
    registerAdapter('our-attic', module);
    const locks = await copy.openLocks('attics://host/path?fair=no');
    onTestFinished(() => locks.close());
    expect(configs).toEqual([
      { url: 'attics://host/path', options: { fair: 'no' }, runtime: expect.anything() as unknown },
    ]);
    const other = await copy.openLocks({ provider: 'our-attic', url: 'anything://host' });
    onTestFinished(() => other.close());
  });

  it('and not where it says another scheme', async () => {
    await standIn({
      'node_modules/locks-barn/package.json': '{"type":"module","exports":"./index.js"}',
      'node_modules/locks-barn/index.js': 'export const schemes = ["barn"]; export function fromConfig() {}',
    });
    await expect(open('barn+tls://user:hunter2@host')).rejects.toMatchObject({
      code: 'LOCK_MISCONFIGURED',
      message:
        'openLocks: no adapter is known for the scheme "barn+tls:". Module "locks-barn" does not export it in schemes; pass its module: { provider: "module-id", url }.',
    });
  });

  it('and does not take the schemes of this library away', async () => {
    registerAdapter('their-memory', {
      schemes: ['memory'],
      fromConfig: () => Object.assign(createMemoryProvider(), { name: 'theirs' }),
    });
    expect((await open('memory:')).name).toBe('memory');
  });

  it('else the message says how to name it', async () => {
    const bundled = await importCopy(await standIn({}), { bundled: true });
    const way = 'or pass its module: { provider: "module-id", url }.';
    await expect(open('lofts://host')).rejects.toMatchObject(
      misconfigured(`Install a package named locks-lofts, ${way}`),
    );
    await expect(bundled.openLocks('lofts://host')).rejects.toMatchObject({
      message: expect.stringContaining(`Call registerAdapter with an adapter that has schemes, ${way}`) as unknown,
    });
  });
});
