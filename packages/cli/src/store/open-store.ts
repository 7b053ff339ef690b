import { isLockError, openLocks } from '@locks/core';
import type { LockProvider, Locks, LocksConfig, LocksOptions } from '@locks/core';
import { registerAdapter, systemRuntime } from '@locks/core/adapter';
import type { AdapterConfig, AdapterModule } from '@locks/core/adapter';
import { adapters, configSources, mergeSources, openProvider } from '@locks/core/open';
import type { Backend } from '@locks/core/open';
import { messageOf } from '@locks/core/text';
import { Failure, exitCode } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { defaultStore } from './default-store.ts';
import { shownUrl } from './shown-url.ts';

/**
 * This package brings all adapters, each loaded when a store needs it. Core would look for them
 * beside itself, where a package manager may have installed nothing else.
 */
async function load(module: string): Promise<Required<Omit<AdapterModule, 'schemes'>>> {
  return (await import(module)) as Required<Omit<AdapterModule, 'schemes'>>;
}

/** Options of all commands. */
export interface StoreOptions {
  readonly url?: string | undefined;
  /** The path of a configuration file. */
  readonly config?: string | undefined;
}

/** A store of locks. */
export interface FoundStore {
  /** For `openLocks`. `undefined`: the environment decides. */
  readonly target: string | LocksConfig | undefined;
  /** For people, without a password. */
  readonly shown: string;
}

/** Registers the adapters of this package at core. */
export function registerAdapters(): void {
  for (const [name, { module }] of Object.entries(adapters)) {
    registerAdapter(name, {
      fromConfig: async (given: AdapterConfig) => (await load(module)).fromConfig(given),
      diagnose: async (given) => await (await load(module)).diagnose(given),
    });
  }
}

/**
 * The store: `--url` and `--config`, else `LOCKS_URL` and `LOCKS_CONFIG`, else a file of the user.
 * @throws `LOCK_MISCONFIGURED`, `Failure`
 */
export async function findStore({ url, config }: StoreOptions): Promise<FoundStore> {
  registerAdapters();
  const isNamed = config !== undefined || process.env['LOCKS_URL'] || process.env['LOCKS_CONFIG'];
  if (config === undefined && (url !== undefined || !isNamed)) {
    const target = url ?? defaultStore();
    return { target, shown: shownUrl(target) };
  }
  const target = config === undefined ? undefined : { config, url };
  const { backend } = mergeSources(await configSources(target));
  const provider = typeof backend.provider === 'string' ? backend.provider : 'a module';
  return { target, shown: backend.url === undefined ? provider : shownUrl(backend.url) };
}

/**
 * Opens the locks of `options`, and reports the store.
 * @throws `Failure`, which names the store without its password.
 */
export async function openStore(options: StoreOptions, output: Output, settings: LocksOptions = {}): Promise<Locks> {
  const { target, shown } = await findStore(options);
  output.note(`locks are in ${shown}`, { event: 'store', store: shown });
  let locks: Locks;
  try {
    locks = await openLocks(target, settings);
  } catch (error) {
    if (!isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
    throw new Failure(exitCode.unreachable, `${shown} cannot be reached. ${messageOf(error)}`, { cause: error });
  }
  if (locks.traits.scope !== 'process') return locks;
  await locks.close();
  throw new Failure(
    exitCode.misconfigured,
    `${shown} is visible to one process only. Name a store that processes share.`,
  );
}

/** Runs `work` with the locks of `options`, and closes them afterwards. */
export async function withStore<T>(
  options: StoreOptions,
  output: Output,
  work: (locks: Locks) => Promise<T>,
): Promise<T> {
  const locks = await openStore(options, output);
  try {
    return await work(locks);
  } finally {
    await locks.close();
  }
}

/** The store of `options`, as its adapter reads it. */
export async function backendOf(options: StoreOptions): Promise<Backend> {
  const { target } = await findStore(options);
  return mergeSources(await configSources(target)).backend;
}

/** A provider of `backend`, with more `options` of its adapter. */
export async function providerOf(backend: Backend, options: Backend['options'] = {}): Promise<LockProvider> {
  return await openProvider({ ...backend, options: { ...backend.options, ...options } }, systemRuntime);
}
