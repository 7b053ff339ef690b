import type { AcquireOptions, Locks } from '@locks/core';
import { Inject } from '@nestjs/common';
import { LOCKS } from './locks.module.js';

type Method<Args extends unknown[]> = (...args: Args) => Promise<unknown>;

/** Runs the method under the lock of `key(...args)`. It gets the lease after its arguments. */
export function WithLock<Args extends unknown[]>(key: (...args: Args) => string, options: AcquireOptions = {}) {
  return (target: object, _name: string, descriptor: TypedPropertyDescriptor<Method<Args>>): void => {
    Inject(LOCKS)(target, 'locks');
    const method = descriptor.value as Method<unknown[]>;
    descriptor.value = async function (this: { readonly locks: Locks }, ...args: Args) {
      return await this.locks.withLock(key(...args), options, (lease) => method.call(this, ...args, lease));
    } as Method<Args>;
  };
}
