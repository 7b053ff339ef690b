import type { AcquireOptions, Lease, Locks } from '@locks/core';
import { Inject } from '@nestjs/common';
import { LOCKS } from './locks-token.ts';

/** Where a decorated class gets its client, apart from its own properties. */
const injected = Symbol('locks');

/** Decorates a method that can be called with `Args`. */
export type MethodUnderLock<Args extends unknown[]> = <Method extends (...args: Args) => Promise<unknown>>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

interface WithLocks {
  readonly [injected]: Locks;
}

/** Replaces a method: gets the instance, its client, the method and the arguments. */
export type Around = (self: unknown, locks: Locks, method: Called, args: unknown[]) => Promise<unknown>;

type Called = (...args: unknown[]) => Promise<unknown>;

/**
 * Runs the method under the lock of `key(...args)`, or of a fixed key. The method gets the lease as
 * an additional last argument. Rejects as `withLock` does: `LOCK_TIMEOUT` after `wait`, `LOCK_LOST`
 * if the lease was lost while the method ran. A method that calls another one with the same key
 * needs `reentrant: true` in both.
 */
export function WithLock(key: string, options?: AcquireOptions): MethodUnderLock<never[]>;
export function WithLock<Args extends unknown[]>(
  key: (...args: Args) => string,
  options?: AcquireOptions,
): MethodUnderLock<[...Args, Lease]>;
export function WithLock(
  key: string | ((...args: unknown[]) => string),
  options: AcquireOptions = {},
): MethodUnderLock<never[]> {
  return (target, _name, descriptor) =>
    wrap(target, descriptor, async (self, locks, method, args) => {
      const text = typeof key === 'string' ? key : key(...args);
      return await locks.withLock(text, options, async (lease) => await method.call(self, ...args, lease));
    });
}

/** Replaces the method of `descriptor`; `around` gets the application's client. */
export function wrap<Method>(target: object, descriptor: TypedPropertyDescriptor<Method>, around: Around): void {
  Inject(LOCKS)(target, injected);
  const method = descriptor.value as Called;
  async function locked(this: WithLocks, ...args: unknown[]): Promise<unknown> {
    return await around(this, this[injected], method, args);
  }
  // Other decorators store their metadata on the method.
  for (const name of Reflect.getMetadataKeys(method)) {
    Reflect.defineMetadata(name, Reflect.getMetadata(name, method), locked);
  }
  Object.defineProperty(locked, 'name', { value: method.name });
  descriptor.value = locked as Method;
}
