import type { AdapterModule } from '../adapter/adapter-config.ts';
import { LockError } from '../errors/lock-error.ts';
import { misconfigured } from '../errors/misconfigured.ts';
import { describe } from '../options/key.ts';
import * as memory from '../memory/config.ts';
import { findModule, isPublished } from './find-module.ts';
import { registered } from './registered.ts';

interface KnownAdapter {
  readonly module: string;
  /** What to install: the adapter and its client. */
  readonly packages: string;
}

const known: Readonly<Record<string, KnownAdapter>> = {
  redis: { module: '@locks/redis', packages: '@locks/redis ioredis' },
  zookeeper: { module: '@locks/zookeeper', packages: '@locks/zookeeper' },
  etcd: { module: '@locks/etcd', packages: '@locks/etcd' },
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
  etcd: 'etcd',
  etcds: 'etcd',
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
  const loaded = registered(named) ?? (await findModule(id));
  if (isAdapter(loaded)) return loaded;
  if (loaded !== undefined) {
    throw new LockError('LOCK_MISCONFIGURED', `openLocks: module "${id}" does not export a function fromConfig.`);
  }
  throw new LockError('LOCK_MISCONFIGURED', notFound(named, adapter));
}

function notFound(named: string, adapter: KnownAdapter | undefined): string {
  const [name] = adapter?.packages.split(' ') ?? [];
  if (!isPublished()) {
    const found = `openLocks: provider "${named}" cannot be found by its name, as this code is bundled.`;
    const pass = 'ass the module itself: { provider: <module>, url }.';
    return name === undefined
      ? `${found} P${pass}`
      : `${found} Import "${name}/register" where the program begins, or p${pass}`;
  }
  if (adapter === undefined) {
    const names = ['memory', ...Object.keys(known)].join(', ');
    return `openLocks: provider "${named}" is neither one of ${names} nor a module that can be imported. Install it, or correct its name.`;
  }
  return `openLocks: provider "${named}" needs the package ${name}, which is not installed. Run: npm install ${adapter.packages}`;
}

function isAdapter(value: unknown): value is AdapterModule {
  return typeof value === 'object' && value !== null && 'fromConfig' in value && typeof value.fromConfig === 'function';
}
