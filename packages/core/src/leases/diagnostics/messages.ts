import type { Mode, WakeCause } from '../../contract.ts';
import type { JobRun, JobState } from '../../job-run.ts';

/** What every message contains. */
export interface LockMessage {
  /** The provider's name. */
  readonly provider: string;
  /** The key that is locked. */
  readonly key: string;
  /** The owner of the claim or lease: `<label>/<unique>`. */
  readonly owner: string;
  /** How the key is held or wanted. */
  readonly mode: Mode;
}

/**
 * `locks:claim`: a call for a lock begins. Published in the caller's asynchronous context, before
 * the first attempt. `locks:acquire` or `locks:giveup` with the same owner follows.
 */
export interface ClaimMessage extends LockMessage {
  /** In ms. */
  readonly ttl: number;
  /** Shared: the most holders. Absent: any number. */
  readonly permits?: number;
  /** The previous owner of the same call: its grant came too late. */
  readonly replaces?: string;
}

/** `locks:acquire`: a lease was granted. */
export interface AcquireMessage extends LockMessage {
  /** The fencing token. */
  readonly token: bigint;
  /** In ms. */
  readonly ttl: number;
  /** Ms until the lease ends, if it is not renewed. */
  readonly remaining: number;
  /** Ms from the call to the grant. */
  readonly waited: number;
  /** How many attempts were sent. */
  readonly attempts: number;
}

/** `locks:wait`: the first attempt was busy; the claim now waits. */
export type WaitMessage = LockMessage;

/** `locks:woken`: a waiting claim is about to make another attempt. */
export interface WokenMessage extends LockMessage {
  /** Absent: its provider does not report it. */
  readonly by?: WakeCause;
}

/** `locks:giveup`: a claim ended without a lease. */
export interface GiveUpMessage extends LockMessage {
  /** What the call rejected with; `undefined` where `tryAcquire` resolved to `null`. */
  readonly error: unknown;
  /** Ms from the call. */
  readonly waited: number;
  /** How many attempts were made. */
  readonly attempts: number;
}

/** `locks:renew`: a renewal was answered. With `error` its effect is unknown. */
export interface RenewMessage extends LockMessage {
  /** Whether the lease continues. `false` with an `error`: unknown. */
  readonly renewed: boolean;
  /** Ms from the request to the answer. */
  readonly took: number;
  /** Ms that the lease had left when the answer came. 0: the answer came too late. */
  readonly remaining: number;
  /** Absent: the store answered. */
  readonly error?: unknown;
}

/**
 * `locks:release`: a lease of this process was released. With `error` the effect is unknown, and
 * the release is retried in the background.
 */
export interface ReleaseMessage extends LockMessage {
  /** Whether this freed a hold. */
  readonly freed: boolean;
  /** Ms from the grant of the lease to its release or loss. */
  readonly heldFor: number;
  /** Ms for which the key stays closed: option `atLeast` or `lockDelay`. Absent: it is free. */
  readonly cooldown?: number;
  /** Why it is unknown whether the key is free. Absent: the store answered. */
  readonly error?: unknown;
}

/**
 * `locks:transfer`: a lease ended here, for another process, where `locks:acquire` reports the same
 * owner.
 */
export interface TransferMessage extends LockMessage {
  /** Ms from the grant of the lease to its end here. */
  readonly heldFor: number;
}

/**
 * `locks:withdraw`: something else than a lease of this process was removed from the store. With
 * `error` the effect is unknown; for an abandoned claim it is retried in the background.
 */
export interface WithdrawMessage extends LockMessage {
  /**
   * `given up`: a claim ended without a lease, and this is what it had: at most a position in the
   * queue, or a grant that came too late. `forced`: `forceRelease` ended the hold of a process.
   */
  readonly reason: 'given up' | 'forced';
  /** Whether this freed a hold. */
  readonly freed: boolean;
  /** Why it is unknown whether the key is free. Absent: the store answered. */
  readonly error?: unknown;
}

/**
 * Why a lease was lost. `not-held`: the store says that the owner does not hold it. `session`: its
 * session with the server has ended. `unanswered`: the store confirmed no renewal in time.
 * `suspended`: the process did not run in time. `not-renewed`: it expired, as option `renew` is
 * false. `max-hold`: option `maxHold` ended it.
 */
export type LossCode = 'not-held' | 'session' | 'unanswered' | 'suspended' | 'not-renewed' | 'max-hold';

/**
 * `locks:lost`: a lease ended against its holder's will. `locks:release` follows when what is left
 * of it was released.
 */
export interface LostMessage extends LockMessage {
  /** The abort reason of the lease's signal. */
  readonly reason: Error;
  /** The code of `reason`. */
  readonly code: LossCode;
  /** Ms from the grant of the lease to its loss. */
  readonly heldFor: number;
}

/** `locks:slow`: a claim has waited for long, and continues to wait. */
export interface SlowMessage extends LockMessage {
  /**
   * `threshold`: longer than option `slowWait`. `longest hold`: longer than this client has ever
   * held the key, and for at least a second. Each is reported once per claim.
   */
  readonly reason: 'threshold' | 'longest hold';
  /** Ms from the call. */
  readonly waited: number;
  /** The labels of the current holders, if the store reports them within 100 ms. */
  readonly by: readonly string[];
  /** Their owners, as in `locks:acquire` of their processes. */
  readonly owners: readonly string[];
  /** What woke it, each cause once. Empty: nothing. */
  readonly wokenBy: readonly WakeCause[];
  /** Ms: the longest hold of the key that has ended since the channel got a listener. */
  readonly longestHold?: number;
}

/**
 * `locks:member`: the state of a member of a composite has changed, or the reason of its refusals.
 * Calls detect this: a composite without calls notices nothing, except how its members open.
 */
export interface MemberMessage {
  /** The composite's name: `combine`, or `migrate`. */
  readonly provider: string;
  /** The member, as in "member 2 of 3 (redis)", or `store "from" (redis)`. */
  readonly member: string;
  /** From 0. */
  readonly index: number;
  /**
   * `answers`: it works, again. `slow`: it takes much longer than the others. `silent`: it does not
   * answer within `memberTimeout`. `refuses`: it rejects claims, or could not be opened: see
   * `error`.
   */
  readonly state: 'answers' | 'slow' | 'silent' | 'refuses';
  /** `false`: it answers. */
  readonly suspect: boolean;
  /** Why it refuses; why it is silent, if its connection reports that. */
  readonly error?: unknown;
}

/** `locks:migration`: a step of this process in a migration between two stores. */
export interface MigrationMessage {
  /** The name of the migration. */
  readonly migration: string;
  /**
   * `changed`: attempts begin in another phase. `refused`: the process stays in `both`, and checks
   * again soon. `lost`: the presence was lost, and with it its leases. `misread`: the phase could
   * not be read, and stays as it was.
   */
  readonly event: 'changed' | 'refused' | 'lost' | 'misread';
  /** The phase in the configuration. */
  readonly desired: 'from' | 'both' | 'to';
  /** The phase in which attempts begin. */
  readonly effective: 'from' | 'both' | 'to';
  /** `refused`: the processes that lock in the other store only, as `host:pid~id`. */
  readonly by?: readonly string[];
  /** The error, if any. */
  readonly error?: unknown;
}

/** `locks:job`: the result of a call of `once` of this process. */
export interface JobMessage {
  /** The provider's name. */
  readonly provider: string;
  /** The key of the job. */
  readonly key: string;
  /**
   * The work ran here, and `state` is how it ended. Otherwise `state` is the result of the call.
   */
  readonly ran: boolean;
  /** `done`, `failed`, `stopped`, `lost`; without a run also `running` and `passed`. */
  readonly state: JobState | 'passed';
  /** The last run of the job, if any. */
  readonly job?: JobRun;
}

/** `locks:election`: an event of a candidate of this process. */
export interface ElectionMessage {
  /** The provider's name. */
  readonly provider: string;
  /** The key of the election. */
  readonly key: string;
  /**
   * `elected`: it leads. `ended`: its term has ended, with `error` if `lead` failed or the lease
   * was lost. `failed`: it could not compete, with the `error`.
   */
  readonly event: 'elected' | 'ended' | 'failed';
  /** `elected`: of the lease. */
  readonly owner?: string;
  /** `elected`: of the lease. */
  readonly token?: bigint;
  /** The error, if any. */
  readonly error?: unknown;
}

/**
 * The message of each channel, by the channel's name. An adapter adds its own channels to this
 * interface: `declare module '@locks/core' { interface ChannelMessages { … } }`.
 */
export interface ChannelMessages {
  /** A call begins to claim a key. */
  'locks:claim': ClaimMessage;
  /** A lease was granted. */
  'locks:acquire': AcquireMessage;
  /** A claim begins to wait. */
  'locks:wait': WaitMessage;
  /** A claim that waits was woken. */
  'locks:woken': WokenMessage;
  /** A claim ended without a lease. */
  'locks:giveup': GiveUpMessage;
  /** A renewal was answered. */
  'locks:renew': RenewMessage;
  /** A lease was released. */
  'locks:release': ReleaseMessage;
  /** A lease was transferred to another process. */
  'locks:transfer': TransferMessage;
  /** What a claim may have left was released. */
  'locks:withdraw': WithdrawMessage;
  /** A lease was lost. */
  'locks:lost': LostMessage;
  /** A claim has waited for long. */
  'locks:slow': SlowMessage;
  /** A member of a composite has changed its state. */
  'locks:member': MemberMessage;
  /** A step of a migration. */
  'locks:migration': MigrationMessage;
  /** The result of a call of `once`. */
  'locks:job': JobMessage;
  /** An event of a candidate. */
  'locks:election': ElectionMessage;
}
