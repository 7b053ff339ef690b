import type { AdapterModule } from '../adapter/adapter-config.ts';
import { LockError, isLockError, misconfigured } from '../errors/lock-error.ts';
import { describeGiven } from '../options/read-options.ts';
import { isShown, mayBeUrl, shownPath } from '../options/unknown-option.ts';
import * as memory from '../memory/config.ts';
import { findModule, isPublished } from './find-module.ts';
import { registered, registeredFor, serves } from '../adapter/registered.ts';

/** An adapter of this library. */
export interface KnownAdapter {
  /** The module to import. */
  readonly module: string;
  /** What to install: the adapter and its client. */
  readonly packages: string;
  /** Which client, where the URL decides. */
  readonly drivers?: string;
  /** Before its package is installed, only this list says which one a URL needs. */
  readonly schemes: readonly string[];
}

/** The adapters of this library, by name. A new one is a row here and a package. */
export const adapters: Readonly<Record<string, KnownAdapter>> = {
  redis: {
    module: '@locks/redis',
    packages: '@locks/redis ioredis',
    schemes: ['redis', 'rediss', 'redis+unix', 'redis+sentinel', 'rediss+sentinel', 'redis+cluster', 'rediss+cluster'],
  },
  zookeeper: { module: '@locks/zookeeper', packages: '@locks/zookeeper', schemes: ['zookeeper'] },
  etcd: { module: '@locks/etcd', packages: '@locks/etcd', schemes: ['etcd', 'etcds'] },
  sql: {
    module: '@locks/sql',
    packages: '@locks/sql',
    drivers: 'pg for Postgres, mysql2 for MySQL and MariaDB, libsql for SQLite',
    schemes: ['postgres', 'postgresql', 'mysql', 'mariadb', 'sqlite'],
  },
  combine: {
    module: '@locks/composites/combine',
    packages: '@locks/composites',
    schemes: ['redlock', 'redlocks'],
  },
  migrate: { module: '@locks/composites/migrate', packages: '@locks/composites', schemes: [] },
};

/** The name of `migrate` in a configuration. */
export const migration = 'migrate';

/**
 * The name of the adapter for the scheme of `url`, or `"consul:"` for an unknown scheme, which its
 * adapter serves. Throws `LOCK_MISCONFIGURED` without the URL.
 */
export function adapterOfScheme(url: string | undefined): string {
  const scheme = schemeOf(url);
  if (scheme === undefined) {
    throw misconfigured('openLocks', 'the URL has no scheme; write redis://host:6379, for example');
  }
  if (scheme === 'memory') return scheme;
  return Object.keys(adapters).find((name) => adapters[name]?.schemes.includes(scheme)) ?? `${scheme}:`;
}

/**
 * A URL with something after its scheme. `C:\\adapter.js` is a path. Modules of Node and files may
 * be named by URLs.
 */
const urlShape = /^(?!(?:node|file):)[a-z](?:[a-z0-9+.-]+:.|:\/\/)/i;

function schemeOf(url: string | undefined): string | undefined {
  return /^([a-z][a-z0-9+.-]*):/i
    .exec(url ?? '')?.[1]
    ?.toLowerCase()
    .replace(/^valkey/, 'redis');
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
      `openLocks: option "provider" must be an adapter's name, a module id or a module that exports fromConfig, not ${describeGiven(named)}.`,
    );
  }
  if (urlShape.test(named)) {
    // Not shown: it may contain a password. Not imported: it may be code, like "data:".
    throw new LockError(
      'LOCK_MISCONFIGURED',
      'openLocks: option "provider" is an adapter\'s name, a module id or a path; put a URL in option "url".',
    );
  }
  if (named === 'memory') return memory;
  if (named.endsWith(':')) return await loadByScheme(named.slice(0, -1));
  const adapter = Object.hasOwn(adapters, named) ? adapters[named] : undefined;
  const id = adapter?.module ?? named;
  const loaded = registered(named) ?? (await load(id));
  const found = adapterIn(loaded);
  if (found !== undefined) return found;
  if (loaded !== undefined) {
    throw new LockError(
      'LOCK_MISCONFIGURED',
      `openLocks: module ${shownPath(id)} does not export a function fromConfig.`,
    );
  }
  throw new LockError('LOCK_MISCONFIGURED', notFound(named, adapter));
}

/**
 * The module, or `undefined` if it does not exist. @throws `LOCK_MISCONFIGURED` where it throws.
 */
async function load(id: string): Promise<unknown> {
  try {
    return await findModule(id);
  } catch (error) {
    if (isLockError(error)) throw error;
    if (mayBeUrl(id)) throw misconfigured('openLocks', `module ${shownPath(id)} cannot be imported`);
    throw misconfigured('openLocks', `module "${id}" threw when it was imported; see the cause`, { cause: error });
  }
}

/** A third-party adapter: registered for `scheme`, or exported by a package for it. */
async function loadByScheme(scheme: string): Promise<AdapterModule> {
  const declared = registeredFor(scheme);
  if (declared !== undefined) return declared;
  const [kind] = scheme.split('+');
  const id = `locks-${kind}`;
  const loaded = await load(id);
  const found = adapterIn(loaded);
  if (found !== undefined && serves(found, scheme)) return found;
  const schemes = ['memory', ...Object.values(adapters).flatMap((adapter) => adapter.schemes)].join(', ');
  // Without "//" after it, it may be the beginning of a user and a password.
  const shown = isShown(scheme) ? `"${scheme}:"` : 'of the URL';
  const unknown = `no adapter is known for the scheme ${shown}`;
  const module = 'pass its module: { provider: "module-id", url }';
  if (loaded !== undefined) {
    throw misconfigured('openLocks', `${unknown}. Module ${shownPath(id)} does not export it in schemes; ${module}`);
  }
  const own = isPublished()
    ? `Install a package named ${isShown(scheme) ? id : 'locks-<scheme>'}`
    : 'Call registerAdapter with an adapter that has schemes';
  throw misconfigured('openLocks', `${unknown}. Known: ${schemes}. ${own}, or ${module}`);
}

function notFound(named: string, adapter: KnownAdapter | undefined): string {
  const [name] = adapter?.packages.split(' ') ?? [];
  if (!isPublished()) {
    const found = `openLocks: provider ${shownPath(named)} cannot be found by its name, because this code is bundled.`;
    const pass = 'ass the module itself: { provider: <module>, url }.';
    return name === undefined
      ? `${found} P${pass}`
      : `${found} Import "${name}/register" where the program begins, or p${pass}`;
  }
  if (adapter === undefined) {
    const names = ['memory', ...Object.keys(adapters)].join(', ');
    return `openLocks: provider ${shownPath(named)} is neither one of ${names} nor a module that can be imported. Install it, or correct its name.`;
  }
  const driver = adapter.drivers === undefined ? '' : `, and its driver: ${adapter.drivers}`;
  return `openLocks: provider ${shownPath(named)} needs the package ${name}, which is not installed. Run: npm install ${adapter.packages}${driver}`;
}

/** A CommonJS module may only be known by its `default`. */
function adapterIn(loaded: unknown): AdapterModule | undefined {
  if (isAdapter(loaded)) return loaded;
  const whole = (loaded as { readonly default?: unknown } | undefined)?.default;
  return isAdapter(whole) ? whole : undefined;
}

function isAdapter(value: unknown): value is AdapterModule {
  return typeof value === 'object' && value !== null && 'fromConfig' in value && typeof value.fromConfig === 'function';
}
