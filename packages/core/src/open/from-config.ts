import { loadAdapter, schemes } from './adapter-modules.ts';
import type { AdapterModule } from '../adapter/adapter-config.ts';
import type { LockProvider } from '../contract.ts';
import { LockError, isLockError } from '../errors/lock-error.ts';
import { describe } from '../options/key.ts';
import { LockManager, closeQuietly } from '../locks/manager.ts';
import type { Locks } from '../locks/locks.ts';
import { readLocksOptions, textReaders } from '../options/locks-options.ts';
import type { LocksOptions } from '../options/locks-options.ts';
import type { LocksConfig } from './locks-config.ts';
import { readOptions } from '../options/option-readers.ts';

/** What `openLocks` does. */
export async function openFromConfig(target: string | LocksConfig, options: LocksOptions): Promise<Locks> {
  const { provider: named, url, options: own, ...rest } = toConfig(target);
  const { adapterUrl, defaults, query } = readUrl(url);
  const settings: LocksOptions = { ...defaults, ...given(rest), ...given(options) };
  const { runtime } = readLocksOptions(settings);
  const adapter = await loadAdapter(named ?? providerOf(url));
  const provider = await makeProvider(adapter, {
    url: adapterUrl,
    options: { ...query, ...given(own ?? {}) },
    runtime,
  });
  try {
    return new LockManager(provider, settings, true);
  } catch (error) {
    await closeQuietly(provider);
    throw error;
  }
}

function toConfig(target: string | LocksConfig): LocksConfig {
  if (typeof target === 'string') return { url: target };
  if (typeof target !== 'object' || target === null) {
    throw misconfigured(`openLocks needs a URL or a configuration object, not ${describe(target)}.`);
  }
  if (target.url !== undefined && typeof target.url !== 'string') {
    throw misconfigured(`openLocks: option "url" must be a string, not ${describe(target.url)}.`);
  }
  if (target.options !== undefined && (typeof target.options !== 'object' || target.options === null)) {
    throw misconfigured(`openLocks: option "options" must be an object, not ${describe(target.options)}.`);
  }
  if (target.url === undefined && target.provider === undefined) {
    throw misconfigured('openLocks needs option "url" (redis://host:6379) or option "provider" ("memory").');
  }
  return target;
}

/** Takes core's own options out of the query; what is left of the query is the adapter's. */
function readUrl(url: string | undefined): {
  readonly adapterUrl: string | undefined;
  readonly defaults: LocksOptions;
  readonly query: Readonly<Record<string, string>>;
} {
  const mark = url?.indexOf('?') ?? -1;
  if (url === undefined || mark === -1) return { adapterUrl: url, defaults: {}, query: {} };
  const own: Record<string, string> = {};
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(url.slice(mark + 1))) {
    (Object.hasOwn(textReaders, name) ? own : query)[name] = value;
  }
  const source = { where: 'The URL of openLocks', code: 'LOCK_MISCONFIGURED', text: true } as const;
  return { adapterUrl: url.slice(0, mark), defaults: readOptions(textReaders, own, source), query };
}

function providerOf(url: string | undefined): string {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url ?? '')?.[1]?.toLowerCase();
  if (scheme === undefined) {
    throw misconfigured('openLocks: the URL has no scheme; write redis://host:6379, for example.');
  }
  const provider = schemes[scheme];
  if (provider !== undefined) return provider;
  throw misconfigured(
    `openLocks: no adapter is known for the scheme "${scheme}:". Known: ${Object.keys(schemes).join(', ')}. ` +
      'For an adapter of your own name its module: { provider: "module-id", url }.',
  );
}

async function makeProvider(
  adapter: AdapterModule,
  config: Parameters<AdapterModule['fromConfig']>[0],
): Promise<LockProvider> {
  try {
    return await adapter.fromConfig(config);
  } catch (error) {
    if (isLockError(error)) throw error;
    throw new LockError('LOCK_UNAVAILABLE', 'openLocks: the adapter could not open its backend; see the cause.', {
      cause: withoutPassword(error, config.url),
    });
  }
}

/** A foreign error may carry the URL; what is kept of it is its text without the password. */
function withoutPassword(error: unknown, url: string | undefined): unknown {
  const password = /^[^/]*\/\/[^/?#@]*?:([^/?#]*)@/.exec(url ?? '')?.[1];
  if (password === undefined || password === '') return error;
  const text = error instanceof Error ? error.message : String(error);
  const bare = new Error([password, decoded(password)].reduce((left, secret) => left.replaceAll(secret, '***'), text));
  if (error instanceof Error) bare.name = error.name;
  return bare;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Without what is `undefined`, which means "not set" and must not hide what the URL says. */
function given<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function misconfigured(message: string): LockError {
  return new LockError('LOCK_MISCONFIGURED', message);
}
