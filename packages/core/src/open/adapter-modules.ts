import { createRequire, isBuiltin } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AdapterModule } from '../adapter/adapter-config.ts';
import { LockError } from '../errors/lock-error.ts';
import { misconfigured } from '../errors/misconfigured.ts';
import { describe } from '../options/key.ts';
import * as memory from '../memory/config.ts';

interface KnownAdapter {
  readonly module: string;
  /** What to install: the adapter and its client. */
  readonly packages: string;
}

const known: Readonly<Record<string, KnownAdapter>> = {
  redis: { module: '@locks/redis', packages: '@locks/redis ioredis' },
  zookeeper: { module: '@locks/zookeeper', packages: '@locks/zookeeper' },
  sql: { module: '@locks/sql', packages: '@locks/sql knex' },
  combine: { module: '@locks/composites/combine', packages: '@locks/composites' },
  migrate: { module: '@locks/composites/migrate', packages: '@locks/composites' },
};

/** The name under which `migrate` stands in a configuration. */
export const migration = 'migrate';

/** The adapter that serves each URL scheme. */
const schemes: Readonly<Record<string, string>> = {
  memory: 'memory',
  redis: 'redis',
  rediss: 'redis',
  'redis+sentinel': 'redis',
  'rediss+sentinel': 'redis',
  'redis+cluster': 'redis',
  'rediss+cluster': 'redis',
  redlock: 'combine',
  redlocks: 'combine',
  zookeeper: 'zookeeper',
  postgres: 'sql',
  postgresql: 'sql',
  mysql: 'sql',
  mariadb: 'sql',
  sqlite: 'sql',
};

/**
 * The name of the adapter that serves the scheme of `url`. Throws `LOCK_MISCONFIGURED` with the
 * schemes that are known, and without the URL.
 */
export function adapterOfScheme(url: string | undefined): string {
  const scheme = /^([a-z][a-z0-9+.-]*):/i
    .exec(url ?? '')?.[1]
    ?.toLowerCase()
    .replace(/^valkey/, 'redis');
  if (scheme === undefined) {
    throw misconfigured('openLocks', 'the URL has no scheme; write redis://host:6379, for example');
  }
  const adapter = Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined;
  if (adapter !== undefined) return adapter;
  throw misconfigured(
    'openLocks',
    `no adapter is known for the scheme "${scheme}:". Known: ${Object.keys(schemes).join(', ')}. ` +
      'For an adapter of your own name its module: { provider: "module-id", url }',
  );
}

/**
 * Imports the adapter `named` in a configuration. Throws `LOCK_MISCONFIGURED` with the command that
 * installs it.
 */
export async function loadAdapter(named: unknown): Promise<AdapterModule> {
  if (isAdapter(named)) return named;
  if (typeof named !== 'string' || named === '') {
    throw new LockError(
      'LOCK_MISCONFIGURED',
      `openLocks: option "provider" must be an adapter's name, a module id or a module that exports fromConfig, not ${describe(named)}.`,
    );
  }
  if (named.includes('://')) {
    // Not shown: it may have a password in it.
    throw new LockError(
      'LOCK_MISCONFIGURED',
      'openLocks: option "provider" is an adapter\'s name or a module id; a URL belongs into option "url".',
    );
  }
  if (named === 'memory') return memory;
  const adapter = Object.hasOwn(known, named) ? known[named] : undefined;
  const id = adapter?.module ?? named;
  const loaded = await importFrom(id);
  if (isAdapter(loaded)) return loaded;
  if (loaded !== undefined) {
    throw new LockError('LOCK_MISCONFIGURED', `openLocks: module "${id}" does not export a function fromConfig.`);
  }
  const names = ['memory', ...Object.keys(known)].join(', ');
  throw new LockError(
    'LOCK_MISCONFIGURED',
    adapter === undefined
      ? `openLocks: provider "${named}" is neither one of ${names} nor a module that can be imported. Install it, or correct its name.`
      : `openLocks: provider "${named}" needs the package ${adapter.packages.split(' ')[0]}, which is not installed. Run: npm install ${adapter.packages}`,
  );
}

/**
 * The module, or `undefined` if there is none. A module that is there and fails to load rejects
 * with its own error.
 */
async function importFrom(id: string): Promise<unknown> {
  if (isBuiltin(id)) return await importOrRequire(id, id);
  // A path is relative to the application.
  const isPath = id.startsWith('.') || isAbsolute(id);
  const beside = isPath ? undefined : requirePath(id, ownUrl());
  // With pnpm and in workspaces this package may be stored away from the application, which
  // installed the adapter.
  const found = beside ?? requirePath(id, pathToFileURL(join(process.cwd(), 'any.js')).href);
  if (found !== undefined) return await importOrRequire(pathToFileURL(found).href, found);
  return isPath ? undefined : await importOnly(id);
}

/** A package beside this one that says what it is to `import`, and nothing to `require`. */
async function importOnly(id: string): Promise<unknown> {
  try {
    return await import(/* any module */ id);
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    const name = id.split('/', id.startsWith('@') ? 2 : 1).join('/');
    if (code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return undefined;
    if (code === 'ERR_MODULE_NOT_FOUND' && String(message).includes(`'${name}'`)) return undefined;
    if (await importsFail()) return undefined;
    throw error;
  }
}

async function importOrRequire(url: string, path: string): Promise<unknown> {
  try {
    return await import(/* any module */ url);
  } catch (error) {
    if (!(await importsFail())) throw error;
    return createRequire(path)(path) as unknown;
  }
}

/** Jest, as it is by default, runs modules where every `import()` rejects. */
async function importsFail(): Promise<boolean> {
  const module = 'node:module';
  return await import(/* any module */ module).then(
    () => false,
    () => true,
  );
}

function requirePath(id: string, base: string | undefined): string | undefined {
  try {
    return base === undefined ? undefined : createRequire(base).resolve(id);
  } catch {
    return undefined;
  }
}

/** Of this module. A bundle may have none. */
function ownUrl(): string | undefined {
  try {
    return import.meta.url;
  } catch {
    return undefined;
  }
}

function isAdapter(value: unknown): value is AdapterModule {
  return typeof value === 'object' && value !== null && 'fromConfig' in value && typeof value.fromConfig === 'function';
}
