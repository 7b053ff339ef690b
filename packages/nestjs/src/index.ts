/** `@locks` in NestJS. */
export { LockErrorFilter } from './lock-error-filter.ts';
export { LocksHealth } from './locks-health.ts';
export type { LocksHealthResult } from './locks-health.ts';
export { LocksModule } from './locks-module.ts';
export type { LocksModuleAsyncOptions, LocksTarget } from './locks-module.ts';
export { InjectLocks, LOCKS } from './locks-token.ts';
export { WithLock } from './with-lock.ts';
export type { MethodUnderLock } from './with-lock.ts';
