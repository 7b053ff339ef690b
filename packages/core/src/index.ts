export type { AdapterConfig, AdapterModule } from './adapter-config.ts';
export type { Clock } from './clock.ts';
export type { Busy, Claim, Grant, Holder, KeyState, LockProvider, Mode, Renewal, Traits } from './contract.ts';
export type {
  AcquireMessage,
  GiveUpMessage,
  LockMessage,
  LostMessage,
  ReleaseMessage,
  RenewMessage,
  WaitMessage,
} from './diagnostics.ts';
export { LockError, isLockError } from './errors.ts';
export type { LockErrorCode, LockErrorOptions } from './errors.ts';
export { createFencingGuard } from './fencing-guard.ts';
export type { FencingGuard } from './fencing-guard.ts';
export type { Lease } from './lease.ts';
export { createLocks } from './locks.ts';
export type { Locks } from './locks.ts';
export type { DefaultOptions, LocksOptions } from './locks-options.ts';
export { createMemoryProvider } from './memory/provider.ts';
export type { MemoryOptions } from './memory/provider.ts';
export { createMemoryStore } from './memory/store.ts';
export type { MemoryStore, MemoryStoreOptions } from './memory/store.ts';
export { openLocks } from './open.ts';
export type { LocksConfig } from './open.ts';
export type { AcquireOptions } from './options.ts';
export type { Requires } from './requirements.ts';
export type { Runtime, TimerHandle } from './runtime.ts';
