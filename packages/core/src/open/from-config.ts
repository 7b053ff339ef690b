import { loadAdapter, schemes } from './adapter-modules.ts';
import type { AdapterModule } from '../adapter/adapter-config.ts';
import type { LockProvider } from '../contract.ts';
import { LockError, isLockError } from '../errors/lock-error.ts';
import { misconfigured } from '../errors/misconfigured.ts';
import { LockManager, closeQuietly } from '../locks/manager.ts';
import type { Locks } from '../locks/locks.ts';
import { readLocksOptions } from '../options/locks-options.ts';
import type { LocksOptions } from '../options/locks-options.ts';
import type { ConfigSource } from './config-file.ts';
import { configSources } from './config-sources.ts';
import type { LocksConfig } from './locks-config.ts';
import { given, mergeSources } from './settings.ts';

/** What `openLocks` does. */
export async function openFromConfig(target: string | LocksConfig | undefined, options: LocksOptions): Promise<Locks> {
  const sources = await configSources(target);
  try {
    return await openFromSources(sources, options);
  } catch (error) {
    throw withOrigin(error, sources);
  }
}

async function openFromSources(sources: readonly ConfigSource[], options: LocksOptions): Promise<Locks> {
  const { provider: named, url, adapterUrl, locks, adapter: own } = mergeSources(sources);
  const settings: LocksOptions = { ...locks, ...given(options) };
  const { runtime } = readLocksOptions(settings, 'openLocks');
  const adapter = await loadAdapter(named ?? providerOf(url));
  const provider = await makeProvider(adapter, { url: adapterUrl, options: own, runtime });
  try {
    return new LockManager(provider, settings, true);
  } catch (error) {
    await closeQuietly(provider);
    throw error;
  }
}

/** A configuration that the caller does not see in its own code is named in the message. */
function withOrigin(error: unknown, sources: readonly ConfigSource[]): unknown {
  const origin = sources.flatMap(({ where }) => where ?? []).join(' and ');
  if (origin === '' || !isLockError(error, 'LOCK_MISCONFIGURED')) return error;
  return new LockError('LOCK_MISCONFIGURED', `${origin}: ${error.message}`, { cause: error.cause ?? error });
}

function providerOf(url: string | undefined): string {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url ?? '')?.[1]?.toLowerCase();
  if (scheme === undefined) {
    throw misconfigured('openLocks', 'the URL has no scheme; write redis://host:6379, for example');
  }
  const provider = Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined;
  if (provider !== undefined) return provider;
  throw misconfigured(
    'openLocks',
    `no adapter is known for the scheme "${scheme}:". Known: ${Object.keys(schemes).join(', ')}. ` +
      'For an adapter of your own name its module: { provider: "module-id", url }',
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

/** The text of a foreign error without the password, as such an error may carry the URL. */
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
