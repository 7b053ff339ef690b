import { LockError, isLockError } from '../errors/lock-error.ts';
import { LockManager } from '../manager.ts';
import { closeQuietly } from '../leases/close-locks.ts';
import type { Locks } from '../locks.ts';
import { readLocksOptions } from '../options/locks-options.ts';
import type { LocksOptions } from '../options/locks-options.ts';
import type { ConfigSource } from './config/config-sources.ts';
import { configSources } from './config/config-sources.ts';
import type { LocksConfig } from './config/locks-config.ts';
import { migration } from './adapter-modules.ts';
import { openProvider } from './open-provider.ts';
import { given, mergeSources } from './settings.ts';
import type { Backend } from './settings.ts';

/** The implementation of `openLocks`. */
export async function openFromConfig(
  target: string | URL | LocksConfig | undefined,
  options: LocksOptions,
): Promise<Locks> {
  const sources = await configSources(target);
  try {
    return await openFromSources(sources, options);
  } catch (error) {
    throw withOrigin(error, sources);
  }
}

async function openFromSources(sources: readonly ConfigSource[], options: LocksOptions): Promise<Locks> {
  const { backend, locks } = mergeSources(sources);
  const settings: LocksOptions = { ...locks, ...given(options) };
  const { runtime, label } = readLocksOptions(settings, 'openLocks');
  const provider = await openProvider(withLabel(backend, label), runtime);
  try {
    return new LockManager(provider, settings, true);
  } catch (error) {
    await closeQuietly(provider);
    throw error;
  }
}

/** A process of a migration has one name, unless it is given two. */
function withLabel(backend: Backend, label: string | undefined): Backend {
  if (label === undefined || backend.provider !== migration) return backend;
  return { ...backend, options: { label, ...backend.options } };
}

/** Adds the origin of a configuration that is not in the caller's code to the message. */
function withOrigin(error: unknown, sources: readonly ConfigSource[]): unknown {
  const origin = sources.flatMap(({ where }) => where ?? []).join(' and ');
  if (origin === '' || !isLockError(error, 'LOCK_MISCONFIGURED')) return error;
  return new LockError('LOCK_MISCONFIGURED', `${origin}: ${error.message}`, { cause: error.cause ?? error });
}
