import type { AcquireOptions, Locks } from '@locks/core';
import { Inject } from '@nestjs/common';
import { LOCKS } from './locks.module.js';

/** Runs the method under the lock of `key(...args)`. It gets the lease after its arguments. */
export function WithLock<Args extends unknown[]>(key: (...args: Args) => string, options: AcquireOptions = {}) {
  return <T>(target: object, _name: string, descriptor: TypedPropertyDescriptor<(...args: Args) => Promise<T>>) => {
    Inject(LOCKS)(target, 'locks');
    const method = descriptor.value as (...args: unknown[]) => Promise<T>;
    descriptor.value = async function underLock(this: { readonly locks: Locks }, ...args: Args) {
      return await this.locks.withLock(key(...args), options, async (lease) => await method.call(this, ...args, lease));
    };
  };
}
