import { setTimeout as sleep } from 'node:timers/promises';
import type { Locks } from '@locks/core';
import { Inject, Injectable } from '@nestjs/common';
import { LOCKS } from './locks-token.ts';

/** The result of an indicator for `@nestjs/terminus`, by its name. */
export type LocksHealthResult = Record<
  string,
  {
    /** Whether the store answers. */
    readonly status: 'up' | 'down';
    /** Why it is down. */
    readonly message?: string;
  }
>;

/** A health indicator for `@nestjs/terminus`: whether the store answers. */
export class LocksHealth {
  readonly #locks: Locks;

  constructor(locks: Locks) {
    this.#locks = locks;
  }

  /**
   * Inspects one key, without taking a lock. Never rejects. `name` is its name in the result;
   * `timeout`, in ms, limits the call.
   */
  async check(name = 'locks', timeout = 1_000): Promise<LocksHealthResult> {
    const late = new AbortController();
    const limit = sleep(timeout, undefined, { signal: late.signal }).then(() => {
      throw new Error(`The store did not answer within ${timeout} ms.`);
    });
    try {
      await Promise.race([this.#locks.inspect('health'), limit]);
      return { [name]: { status: 'up' } };
    } catch (error) {
      return { [name]: { status: 'down', message: error instanceof Error ? error.message : String(error) } };
    } finally {
      limit.catch(() => {});
      late.abort();
    }
  }
}

Injectable()(LocksHealth);
Inject(LOCKS)(LocksHealth, undefined, 0);
