export type { AdapterConfig, AdapterModule } from './adapter/adapter-config.ts';
export type { Clock } from './time/clock.ts';
export type { Busy, Claim, Grant, Holder, KeyState, LockProvider, Mode, Renewal, Traits } from './contract.ts';
export type {
  AcquireMessage,
  ChannelMessages,
  GiveUpMessage,
  LockMessage,
  LostMessage,
  ReleaseMessage,
  RenewMessage,
  WaitMessage,
} from './locks/diagnostics.ts';
export { LockError, isLockError } from './errors/lock-error.ts';
export type { LockErrorCode, LockErrorOptions } from './errors/lock-error.ts';
export { createFencingGuard } from './adapter/fencing-guard.ts';
export type { FencingGuard } from './adapter/fencing-guard.ts';
export type { Lease, LeaseRecord } from './lease.ts';
export type { LockHolder, LockState, Locks, TryResult } from './locks/locks.ts';
export { createLocks } from './locks/manager.ts';
export { subscribe } from './locks/subscribe.ts';
export type { Subscription } from './locks/subscribe.ts';
export type { Work } from './locks/with-lock.ts';
export type { DefaultOptions, LocksOptions } from './options/locks-options.ts';
export type { Duration } from './options/option-reader.ts';
export { createMemoryProvider } from './memory/provider.ts';
export type { MemoryOptions } from './memory/options.ts';
export type { MemoryStore, MemoryStoreOptions } from './memory/store-options.ts';
export { createMemoryStore } from './memory/store.ts';
export { openLocks } from './open/open-locks.ts';
export type { LocksConfig } from './open/locks-config.ts';
export type { AcquireOptions } from './options/acquire-options.ts';
export type { Requires } from './options/requirements.ts';
export type { Runtime, TimerHandle } from './time/runtime.ts';
