export type { AdapterConfig, AdapterModule } from './adapter/adapter-config.ts';
export type { Clock } from './time/clock.ts';
export type {
  Busy,
  Claim,
  Grant,
  Holder,
  KeyState,
  LockProvider,
  Mode,
  RegisterChange,
  Renewal,
  Traits,
  UnknownState,
  Waiter,
  Wake,
  WakeCause,
} from './contract.ts';
export type {
  AcquireMessage,
  ChannelMessages,
  ClaimMessage,
  ElectionMessage,
  GiveUpMessage,
  TransferMessage,
  LockMessage,
  LossCode,
  LostMessage,
  SlowMessage,
  MemberMessage,
  JobMessage,
  MigrationMessage,
  ReleaseMessage,
  WithdrawMessage,
  RenewMessage,
  WaitMessage,
  WokenMessage,
} from './leases/diagnostics/messages.ts';
export { LockError, isLockError } from './errors/lock-error.ts';
export type { LockErrorCode, LockErrorOptions, LockErrorRecord } from './errors/lock-error.ts';
export { createFencingGuard } from './adapter/fencing-guard.ts';
export type { FencingGuard } from './adapter/fencing-guard.ts';
export type { Lease, LeaseRecord } from './lease.ts';
export type { LockCalls, TryResult } from './leases/lock-calls.ts';
export type { LockHolder, LockState } from './lock-state.ts';
export type { Locks } from './locks.ts';
export type { Election, Lead, Leader, Leadership } from './objects/election/election.ts';
export type { ElectOptions, LeadershipOptions, StopOptions, WhenLeadingOptions } from './objects/election/options.ts';
export type { JobRun, JobState } from './job-run.ts';
export type { OnceResult } from './objects/jobs/once-call.ts';
export type { JobRetries, OnceOptions } from './objects/jobs/options.ts';
export type { EverySlot, Slot } from './objects/jobs/slots.ts';
export type {
  KeyLockable,
  Lockable,
  MultiLockable,
  ObjectOptions,
  ReadWriteLock,
  Semaphore,
} from './objects/lockable.ts';
export type { MultiLease } from './objects/multi-lease.ts';
export { createLocks } from './manager.ts';
export { subscribe } from './leases/diagnostics/subscribe.ts';
export type { Subscription } from './leases/diagnostics/subscribe.ts';
export type { Work } from './leases/hold/with-lock.ts';
export type { DefaultOptions, LocksOptions } from './options/locks-options.ts';
export type { Duration } from './options/option-reader.ts';
export { createMemoryProvider } from './memory/provider.ts';
export type { MemoryOptions } from './memory/provider.ts';
export { createMemoryStore } from './memory/store.ts';
export type { MemoryStore, MemoryStoreOptions } from './memory/store.ts';
export { openLocks } from './open/open-locks.ts';
export type { LocksConfig } from './open/config/locks-config.ts';
export type { AcquireOptions } from './options/acquire-options.ts';
export type { Requires } from './options/requirements.ts';
export type { Runtime, TimerHandle } from './time/runtime.ts';
export { untilAborted } from './time/until-aborted.ts';
