import { createLocks, openLocks } from '@locks/core';
import type { LockProvider, Locks, LocksConfig, LocksOptions } from '@locks/core';
import { Inject, Module } from '@nestjs/common';
import type { DynamicModule, FactoryProvider, ModuleMetadata, OnApplicationShutdown } from '@nestjs/common';
import { LocksHealth } from './locks-health.ts';
import { LOCKS } from './locks-token.ts';

/**
 * The store: what `openLocks` takes, a provider over a client of the application, such as
 * `createSqlProvider(pool)`, or `Locks`. The module closes each of them.
 */
export type LocksTarget = string | URL | LocksConfig | LockProvider | Locks;

/** Options of `LocksModule.forRootAsync`. */
export interface LocksModuleAsyncOptions {
  /** Modules whose providers `inject` names. @default none */
  readonly imports?: ModuleMetadata['imports'];
  /** The arguments of the factory. @default none */
  readonly inject?: FactoryProvider['inject'];
  /**
   * Returns the target. `undefined` reads `LOCKS_URL` and `LOCKS_CONFIG`, as `openLocks()` does.
   */
  readonly useFactory: FactoryProvider<LocksTarget | undefined>['useFactory'];
}

/**
 * Opens the client of the application once, for all modules (`LOCKS`, `InjectLocks`), and closes it
 * when the application shuts down, after the last request: call `app.enableShutdownHooks()`.
 * Running work keeps its lock for at most `drain` (5 s by default). If the store cannot be reached,
 * the application does not start: see `openLocks`.
 */
export class LocksModule implements OnApplicationShutdown {
  readonly #locks: Locks;

  constructor(locks: Locks) {
    this.#locks = locks;
  }

  /** With a fixed target. @default `LOCKS_URL` and `LOCKS_CONFIG` of the environment */
  static forRoot(target?: LocksTarget, options?: LocksOptions): DynamicModule {
    return moduleOf({ useFactory: () => target }, options);
  }

  /** With a target from providers of the application, such as its configuration or its client. */
  static forRootAsync(target: LocksModuleAsyncOptions, options?: LocksOptions): DynamicModule {
    return moduleOf(target, options);
  }

  /** Nest calls it. */
  async onApplicationShutdown(): Promise<void> {
    await this.#locks.close();
  }
}

// By call, as this code is compiled without decorators.
Module({})(LocksModule);
Inject(LOCKS)(LocksModule, undefined, 0);

function moduleOf({ imports = [], inject = [], useFactory }: LocksModuleAsyncOptions, options?: LocksOptions) {
  const open = async (...injected: unknown[]): Promise<Locks> => {
    const target = await useFactory(...injected);
    if (target === undefined) return await openLocks();
    if (isLocks(target)) return target;
    return isProvider(target)
      ? createLocks(target, { ...options, closeProvider: true })
      : await openLocks(target, options);
  };
  return {
    module: LocksModule,
    global: true,
    imports,
    providers: [{ provide: LOCKS, inject, useFactory: open }, LocksHealth],
    exports: [LOCKS, LocksHealth],
  } satisfies DynamicModule;
}

function isLocks(target: LocksTarget): target is Locks {
  return typeof target === 'object' && 'withLock' in target;
}

function isProvider(target: Exclude<LocksTarget, Locks>): target is LockProvider {
  return typeof target === 'object' && 'tryAcquire' in target;
}
