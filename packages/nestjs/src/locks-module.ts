import { createLocks, openLocks } from '@locks/core';
import type { LockProvider, Locks, LocksConfig, LocksOptions } from '@locks/core';
import { Inject, Module } from '@nestjs/common';
import type { DynamicModule, FactoryProvider, ModuleMetadata, OnApplicationShutdown } from '@nestjs/common';
import { LocksHealth } from './locks-health.ts';
import { LOCKS } from './locks-token.ts';

/**
 * Where the locks are: what `openLocks` takes, or a provider over a client of the application, such as
 * `createSqlProvider(pool)`, or `Locks`. The module closes each of them.
 */
export type LocksTarget = string | URL | LocksConfig | LockProvider | Locks;

/** Options of `LocksModule.forRootAsync`. */
export interface LocksModuleAsyncOptions {
  /** Modules whose providers `inject` names. @default none */
  readonly imports?: ModuleMetadata['imports'];
  /** What the factory gets. @default nothing */
  readonly inject?: FactoryProvider['inject'];
  /** Makes the target. `undefined` reads `LOCKS_URL` and `LOCKS_CONFIG`, as `openLocks()` does. */
  readonly useFactory: FactoryProvider<LocksTarget | undefined>['useFactory'];
}

/**
 * Opens the application's `Locks` once, for all modules (`LOCKS`, `InjectLocks`), and closes them
 * when the application shuts down, after the last request: call `app.enableShutdownHooks()`. Work
 * that still runs keeps its lock for at most `drain` (5 s by default). The application does not
 * start while the store cannot be reached: `openLocks` says when it rejects.
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

// As decorators, which this code is compiled without.
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
