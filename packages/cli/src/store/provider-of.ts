import type { LockProvider } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { configSources, mergeSources, openProvider } from '@locks/core/open';
import type { Backend } from '@locks/core/open';
import { findStore } from './open-store.ts';
import type { StoreOptions } from './open-store.ts';

/** The store of `options`, as its adapter reads it. */
export async function backendOf(options: StoreOptions): Promise<Backend> {
  const { target } = await findStore(options);
  return mergeSources(await configSources(target)).backend;
}

/** A provider of `backend`, with more `options` of its adapter. */
export async function providerOf(backend: Backend, options: Backend['options'] = {}): Promise<LockProvider> {
  return await openProvider({ ...backend, options: { ...backend.options, ...options } }, systemRuntime);
}
