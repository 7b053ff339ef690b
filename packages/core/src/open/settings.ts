import type { AdapterModule } from '../adapter/adapter-config.ts';
import type { LockError } from '../errors/lock-error.ts';
import { misconfigured } from '../errors/lock-error.ts';
import { textReaders } from '../options/locks-options.ts';
import type { LocksOptions } from '../options/locks-options.ts';
import { describeGiven, readOptions } from '../options/read-options.ts';
import { adapterOfScheme } from './adapter-modules.ts';
import type { ConfigSource } from './config/config-sources.ts';
import type { LocksConfig } from './config/locks-config.ts';

/** The part of a configuration about the store. */
export interface Backend {
  /** The adapter's name, a module to import, or the module. */
  readonly provider: string | AdapterModule;
  /** Without its query. */
  readonly url: string | undefined;
  /** The adapter's own, with the rest of the query. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** All sources of a configuration, merged. */
export interface Settings {
  /** The store. */
  readonly backend: Backend;
  /** The options of the client. */
  readonly locks: LocksOptions;
}

/**
 * Merges configurations, the strongest last, option by option. Of several URLs the last one counts,
 * with its query. The query is as strong as the source of its URL, and weaker than the options
 * there.
 */
export function mergeSources(sources: readonly ConfigSource[]): Settings {
  for (const { config } of sources) checkShape(config);
  const provider = lastOf(sources, 'provider');
  const named = lastOf(sources, 'url');
  // A file with a variable may end with a line feed.
  const url = named instanceof URL ? named.href : named?.trim();
  if (url === undefined && provider === undefined) {
    throw misconfigured(
      'openLocks',
      'no backend was given; set option "url" (redis://host:6379) or option "provider" ("memory")',
    );
  }
  const { adapterUrl, own, query } = splitUrl(url);
  const defaults = readOptions(textReaders, own, urlSource);
  const home = sources.findLast(({ config }) => config.url !== undefined);
  const locks: LocksOptions = {};
  const adapter: Record<string, unknown> = {};
  for (const source of sources) {
    const { provider: _provider, url: _url, options = {}, ...rest } = source.config;
    if (source === home) {
      Object.assign(locks, defaults);
      Object.assign(adapter, query);
    }
    Object.assign(locks, given(rest));
    Object.assign(adapter, given(options));
  }
  return { backend: { provider: provider ?? adapterOfScheme(url), url: adapterUrl, options: adapter }, locks };
}

function lastOf<Name extends 'provider' | 'url'>(sources: readonly ConfigSource[], name: Name): LocksConfig[Name] {
  return sources.findLast(({ config }) => config[name] !== undefined)?.config[name];
}

function checkShape({ url, options }: LocksConfig): void {
  if (url !== undefined && typeof url !== 'string' && !(url instanceof URL)) {
    throw misconfigured('openLocks', `option "url" must be a string, not ${describeGiven(url)}`);
  }
  // Some drivers would send what is before it, and others the remainder as separate fields.
  if (/\0|%00/.test(String(url)))
    throw misconfigured('openLocks', 'option "url" contains a NUL character (%00); remove it');
  if (options !== undefined && (typeof options !== 'object' || options === null)) {
    throw misconfigured('openLocks', `option "options" must be an object, not ${describeGiven(options)}`);
  }
}

const urlSource = { where: 'The URL of openLocks', code: 'LOCK_MISCONFIGURED', text: true } as const;

/**
 * Removes core's own options from the query. The others are the adapter's.
 * @throws `LOCK_MISCONFIGURED` without the URL, where the query may be a part of a password.
 */
export function splitUrl(url: string | undefined): {
  readonly adapterUrl: string | undefined;
  readonly own: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
} {
  const mark = url?.indexOf('?') ?? -1;
  if (url === undefined || mark === -1) return { adapterUrl: url, own: {}, query: {} };
  const adapterUrl = url.slice(0, mark);
  const own: Record<string, string> = {};
  const query: Record<string, string> = {};
  for (const part of url.slice(mark + 1).split('&')) {
    if (part === '') continue;
    const [[name, value] = ['', '']] = new URLSearchParams(part);
    const isCut = part.includes('@') && !adapterUrl.includes('@') && name !== 'label';
    if (isCut || !part.includes('=')) throw unreadableQuery();
    (Object.hasOwn(textReaders, name) ? own : query)[name] = value;
  }
  return { adapterUrl, own, query };
}

/** Part of a password with "?" or "&" looks like an option: nothing of it is shown. */
function unreadableQuery(): LockError {
  const why = 'the query of the URL cannot be parsed; write ?name=value&name=value';
  return misconfigured('openLocks', `${why} and percent-encode special characters, also in the password`);
}

/**
 * Without options that are `undefined`: these mean "not set", and must not hide a weaker source.
 */
export function given<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
}
