import type { Mode, WakeCause } from '../../contract.ts';
import type { JobRun, JobState } from '../../job-run.ts';

/** What every message tells. */
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
 * `locks:claim`: a call for a lock begins. It is told in the caller's asynchronous context, before
 * the first attempt. `locks:acquire` or `locks:giveup` with the same owner ends it.
 */
export interface ClaimMessage extends LockMessage {
  /** In ms. */
  readonly ttl: number;
  /** Shared: at most so many holders at once. Absent: any number. */
  readonly permits?: number;
  /** The owner under which the same call claimed before: that grant came too late. */
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

/** `locks:wait`: the first attempt was busy, and the claim waits now. */
export type WaitMessage = LockMessage;

/** `locks:woken`: a claim that waits is to make another attempt. */
export interface WokenMessage extends LockMessage {
  /** Absent: its provider does not say. */
  readonly by?: WakeCause;
}

/** `locks:giveup`: a claim ended without a lease. */
export interface GiveUpMessage extends LockMessage {
  /** What the call rejected with; `undefined` where `tryAcquire` answered `null`. */
  readonly error: unknown;
  /** Ms from the call. */
  readonly waited: number;
  /** How many attempts were made. */
  readonly attempts: number;
}

/** `locks:renew`: a renewal was answered. `error`: it is unknown whether it took effect. */
export interface RenewMessage extends LockMessage {
  /** Whether the lease goes on. `false` with an `error`: not known. */
  readonly renewed: boolean;
  /** Ms from the request to the answer. */
  readonly took: number;
  /** The margin: ms that the lease had left when the answer came. 0: the answer came too late. */
  readonly remaining: number;
  /** Absent: the store answered. */
  readonly error?: unknown;
}

/**
 * `locks:release`: a lease of this process was given back to the store. `error`: it is unknown, and
 * tried again in the background.
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
 * `locks:transfer`: a lease ended here, and its text goes to another process, where `locks:acquire`
 * tells of the same owner.
 */
export interface TransferMessage extends LockMessage {
  /** Ms from the grant of the lease to its end here. */
  readonly heldFor: number;
}

/**
 * `locks:withdraw`: what was no lease of this process was taken out of the store. `error`: it is
 * unknown; a claim that was given up is tried again in the background.
 */
export interface WithdrawMessage extends LockMessage {
  /**
   * `given up`: a claim ended without a lease, and this is what it had: a position in the queue at
   * most, or a grant that came too late. `forced`: `forceRelease` ended the hold of a process.
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
 * `suspended`: the process did not run in time. `not-renewed`: its time is over without a renewal,
 * as option `renew` is false. `max-hold`: option `maxHold` ended it.
 */
export type LossCode = 'not-held' | 'session' | 'unanswered' | 'suspended' | 'not-renewed' | 'max-hold';

/**
 * `locks:lost`: a lease ended against its holder's will. `locks:release` follows when what is left
 * of it was given back.
 */
export interface LostMessage extends LockMessage {
  /** With what the signal of the lease aborted. */
  readonly reason: Error;
  /** The code of `reason`. */
  readonly code: LossCode;
  /** Ms from the grant of the lease to its loss. */
  readonly heldFor: number;
}

/** `locks:slow`: a claim has waited for long, and waits on. */
export interface SlowMessage extends LockMessage {
  /**
   * `threshold`: longer than option `slowWait`. `longest hold`: longer than this `Locks` has ever
   * held the key, and for a second at least. Each is told once for a claim.
   */
  readonly reason: 'threshold' | 'longest hold';
  /** Ms from the call. */
  readonly waited: number;
  /** The labels of those that hold the key now, as far as the store tells them within 100 ms. */
  readonly by: readonly string[];
  /** Their owners, as `locks:acquire` tells them in their processes. */
  readonly owners: readonly string[];
  /** By what it was woken, each cause once. Empty: by nothing. */
  readonly wokenBy: readonly WakeCause[];
  /** Ms: the longest hold of the key that has ended since the channel has a listener. */
  readonly longestHold?: number;
}

/**
 * `locks:member`: the state of a member of a composite has changed, or the reason of its refusals.
 * Calls tell: a composite without calls notices nothing, except how its members open.
 */
export interface MemberMessage {
  /** The composite's name: `combine`, or `migrate`. */
  readonly provider: string;
  /** The member, as in "member 2 of 3 (redis)", or `store "from" (redis)`. */
  readonly member: string;
  /** From 0. */
  readonly index: number;
  /**
   * `answers`: it is well, again. `slow`: it takes much longer than the others. `silent`: it does
   * not answer within `memberTimeout`. `refuses`: it rejects what claims ask of it, or could not be
   * opened: see `error`.
   */
  readonly state: 'answers' | 'slow' | 'silent' | 'refuses';
  /** `false`: it answers. */
  readonly suspect: boolean;
  /** Why it refuses; why it is silent, where its connection tells. */
  readonly error?: unknown;
}

/** `locks:migration`: what became of this process in a migration between two stores. */
export interface MigrationMessage {
  /** The name of the migration. */
  readonly migration: string;
  /**
   * `changed`: attempts begin under another phase. `refused`: the process stays in `both`, and
   * looks again soon. `lost`: the presence was lost, and so were the leases under its end.
   * `misread`: the phase could not be read, and stays as it was.
   */
  readonly event: 'changed' | 'refused' | 'lost' | 'misread';
  /** What the configuration says. */
  readonly desired: 'from' | 'both' | 'to';
  /** What attempts begin under. */
  readonly effective: 'from' | 'both' | 'to';
  /** `refused`: the processes that take locks in the other store alone, as `host:pid~id`. */
  readonly by?: readonly string[];
  /** What went wrong, where something did. */
  readonly error?: unknown;
}

/** `locks:job`: what became of a call of `once` of this process. */
export interface JobMessage {
  /** The provider's name. */
  readonly provider: string;
  /** The key of the job. */
  readonly key: string;
  /**
   * The work ran here, and `state` is how it ended. Otherwise `state` is the answer of the call.
   */
  readonly ran: boolean;
  /** `done`, `failed`, `stopped`, `lost`; without a run also `running` and `passed`. */
  readonly state: JobState | 'passed';
  /** The last run of the job, where it has one. */
  readonly job?: JobRun;
}

/** `locks:election`: what became of a candidate of this process. */
export interface ElectionMessage {
  /** The provider's name. */
  readonly provider: string;
  /** The key of the election. */
  readonly key: string;
  /**
   * `elected`: it leads. `ended`: its term has ended, with `error` where `lead` failed or the lease
   * was lost. `failed`: it could not stand, with the `error`.
   */
  readonly event: 'elected' | 'ended' | 'failed';
  /** `elected`: of the lease. */
  readonly owner?: string;
  /** `elected`: of the lease. */
  readonly token?: bigint;
  /** What went wrong, where something did. */
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
  /** A lease goes to another process. */
  'locks:transfer': TransferMessage;
  /** What a claim may have left was given back. */
  'locks:withdraw': WithdrawMessage;
  /** A lease was lost. */
  'locks:lost': LostMessage;
  /** A claim has waited for long. */
  'locks:slow': SlowMessage;
  /** A member of a composite is in another state. */
  'locks:member': MemberMessage;
  /** A step of a migration. */
  'locks:migration': MigrationMessage;
  /** What became of a call of `once`. */
  'locks:job': JobMessage;
  /** What became of a candidate. */
  'locks:election': ElectionMessage;
}
