/**
 * The contract between `@locks/core` and a provider. A provider only answers. Core waits, times,
 * retries, renews and reports. All durations are milliseconds. Each detail that the suite checks is
 * in docs/provider-reference.md.
 *
 * Four laws:
 *
 * 1. Granted, busy and false are certain. A rejection means *unknown*, except `LOCK_INVALID`,
 *    `LOCK_MISCONFIGURED` and `LOCK_CLOSED`: "not, and will not". Contention is never an exception.
 *    A dead backend is never contention. A rejected call takes no effect later, or its effect ends
 *    a ttl later. With `sent: false` it never left this process, and the provider keeps nothing of
 *    it.
 * 2. Every call may be repeated, also while it is in progress. A claim whose reply was lost finds
 *    itself the holder: the same token, the ttl restarted. No call of an owner is busy or false
 *    because of another one of its own. After its release an owner is never used again.
 * 3. The server's clock or session decides expiry. Only core's monotonic clock decides validity. No
 *    client wall clock decides anything.
 * 4. Tokens of one key strictly increase. Each grant's token exceeds those of all earlier grants it
 *    conflicts with. That holds across release, expiry, forced release, restarts and the clean-up
 *    of idle keys.
 */

/** `exclusive`: one holder at a time. `shared`: together with other shared holders. */
export type Mode = 'exclusive' | 'shared';

/** Core makes and checks a claim, and repeats it unchanged until it is granted or released. */
export interface Claim {
  /** 1 to 512 UTF-8 bytes, compared byte by byte. A provider encodes what its store cannot take. */
  readonly key: string;
  /**
   * Unique per lease, and never reused: `<label>/<unique>`. At most 250 ASCII characters, which a
   * provider compares verbatim.
   */
  readonly owner: string;
  /** In ms: an integer from 50 to 172 800 000. Each call of a holder may use another. */
  readonly ttl: number;
  /**
   * How much of `ttl` is the lease, in ms, from 50 to 86 400 000. The remainder only keeps the key
   * closed after the lease. Absent: all of it.
   */
  readonly lease?: number;
  /** Alone, or together with other shared claims. */
  readonly mode: Mode;
  /**
   * Shared only: the most holders of the key, 1 to 2 147 483 647. Absent: any number. Each claim
   * has its own number.
   */
  readonly permits?: number;
  /** Below 2^53. The token of a new grant must exceed it. A repeat keeps its token. */
  readonly floor?: bigint;
}

/** The claim holds the key. */
export interface Grant {
  readonly granted: true;
  /** The fencing token, minted in the same atomic step as the grant. */
  readonly token: bigint;
  /** How long the grant lasts, in ms from the call. Absent: the ttl. Sessions always report it. */
  readonly validity?: number;
  /** How long the store keeps the hold at least, in ms from the call. Absent: `validity`. */
  readonly hold?: number;
  /** Aborted when the provider learns that the hold has ended (sessions). */
  readonly lost?: AbortSignal;
}

/** Others hold the key, are in the queue before this claim, or try for it simultaneously. */
export interface Busy {
  readonly granted: false;
  /** The latest time of the next attempt, in ms from the answer. Absent: core polls. */
  readonly retryAfter?: number;
  /** How many claims the queue takes, where it is full and this one is outside of it. */
  readonly queueLimit?: number;
}

/** The claim still holds the key and its ttl was restarted. */
export interface Renewal {
  /** How long the renewed hold lasts, in ms from the call. Absent: the ttl. */
  readonly validity?: number;
  /** As in a grant. */
  readonly hold?: number;
}

/** One holder, as far as the store knows it. Holders of other libraries lack some fields. */
export interface Holder {
  /** The owner of the claim that holds it. */
  readonly owner: string;
  /** How it is held. */
  readonly mode: Mode;
  /** The `permits` of its claim. Absent: none. */
  readonly permits?: number;
  /** The fencing token. Absent: the store has none for this holder. */
  readonly token?: bigint;
  /** Ms until the hold expires, if it is not renewed. */
  readonly remaining?: number;
}

/** A claim in the queue, as far as the store knows it. */
export interface Waiter {
  /** The owner of the waiting claim. */
  readonly owner: string;
  /** The mode that it asks for. */
  readonly mode: Mode;
  /** As in a holder. */
  readonly permits?: number;
}

/** The state of one key at one moment. */
export interface KeyState {
  /** What was inspected. */
  readonly key: string;
  /** The holders: several where the key is shared. */
  readonly holders: readonly Holder[];
  /** How many claims are in the queue. */
  readonly waiters: number;
  /**
   * The first 100 of them, in order. Absent: the queue is empty, or the store knows only the count.
   */
  readonly queue?: readonly Waiter[];
  /** Composites: what each member reported, in their order. */
  readonly members?: readonly (KeyState | UnknownState)[];
}

/** A member of a composite that reported nothing about a key, which may be held there. */
export interface UnknownState {
  /** Why: it refused, did not answer in time, or was not asked. */
  readonly error: Error;
  readonly key?: undefined;
  readonly holders?: undefined;
  readonly waiters?: undefined;
  readonly queue?: undefined;
}

/** A change of a register: to `to` if it is `from`. `undefined`: no text. */
export interface RegisterChange {
  /** The expected text. */
  readonly from: string | undefined;
  /** The new text. */
  readonly to: string | undefined;
}

/** What a provider declares about itself. The conformance suite selects its requirements by it. */
export interface Traits {
  /** Who can compete for one key: one process, the processes of one host, or all of the network. */
  readonly scope: 'process' | 'host' | 'network';
  /**
   * What ends the hold of a dead holder: its ttl on the server's clock, the end of its session, or
   * its ttl as observed by another process.
   */
  readonly expiry: 'ttl' | 'observed' | 'session';
  /**
   * `strict`: law 4 holds until an operator empties the store. `clock-bounded`: a clock of the
   * server substitutes where a fault takes the counter. `none`: tokens mean nothing.
   */
  readonly fencing: 'strict' | 'clock-bounded' | 'none';
  /** Waiting claims are granted in the order in which they took their positions. */
  readonly fair: boolean;
  /** Shared mode and permits. Without it a shared claim rejects with `LOCK_INVALID`. */
  readonly shared: boolean;
  /** `wake` is called when another attempt is worthwhile. Without it core polls. */
  readonly wake: boolean;
}

/**
 * Why a claim is woken. `message`: a message says that it may be its turn. `assigned`: a message
 * says that the backend has granted it the key. `look`: a query for turns, beside a listener.
 * `poll`: such a query, without a listener. `own`: an answer to this process. `gap`: messages may
 * have been lost. `lapsed`: the backend dropped its position. `closed`: its provider was closed.
 */
export type WakeCause = 'message' | 'assigned' | 'look' | 'poll' | 'own' | 'gap' | 'lapsed' | 'closed';

/** Reports that another attempt is worthwhile, and why, if the provider knows. */
export type Wake = (by?: WakeCause) => void;

/**
 * One backend's adapter. Each call settles within the provider's `timeout` (5 000 ms by default). A
 * call that begins after another has settled sees its effect, through any provider.
 */
export interface LockProvider {
  /** The backend's name, for messages and diagnostics. */
  readonly name: string;
  /** What the backend guarantees. Constant. */
  readonly traits: Traits;
  /**
   * One atomic attempt; never waits for the lock. A repeat by the holder returns the same token,
   * and restarts the ttl. A repeat of an exclusive hold as shared converts it without a gap. Shared
   * to exclusive is refused (`LOCK_INVALID`).
   *
   * With `wake` the claim takes a position in the queue, if the backend has one. The provider calls
   * `wake` when another attempt is worthwhile, until the claim is granted or released. An
   * unnecessary call is harmless; a synchronous one is not. The latest callback counts. A repeat
   * without `wake` keeps the position.
   */
  tryAcquire(claim: Claim, wake?: Wake): Promise<Grant | Busy>;
  /**
   * Restarts the ttl of this claim's hold, and of no other. With `token` (below 2^53) also sets
   * this lease's token, and raises the key's counter to at least that. `false`: this claim
   * certainly does not hold the key, or already has a higher token. An expired hold cannot be
   * renewed.
   */
  renew(claim: Claim, token?: bigint): Promise<Renewal | false>;
  /**
   * Gives up all that the claim has: the hold, or the position in the queue. `true`: this call
   * freed a hold that an attempt had returned, and that had not expired. At most one call returns
   * that. Once it has settled, nothing wakes the claim.
   */
  release(claim: Claim): Promise<boolean>;
  /** A forced release is `release` with an owner and a mode that it returned. */
  inspect(key: string): Promise<KeyState>;
  /**
   * Closes what the provider opened itself. Later calls reject with `LOCK_CLOSED`, those in
   * progress settle, and each `wake` is called a last time. Idempotent.
   */
  close(): Promise<void>;
  /** Optional: the keys with this prefix that are held or waited for, unordered. */
  list?(prefix: string): AsyncIterable<string>;
  /** Optional: the ms since 1970 by the store's clock. For `once`; it decides no hold. */
  time?(): Promise<number>;
  /**
   * Optional: a text of 1 to 250 characters of `!` to `~` under `name` (1 to 250), apart from all
   * keys, without an expiry; each composite takes 25 of them for versions. With `change` one atomic
   * compare-and-set. Returns the text stored afterwards. For jobs and composites: what must outlive
   * processes.
   */
  register?(name: string, change?: RegisterChange): Promise<string | undefined>;
  /**
   * Optional: why calls are not answered at present, if known; it becomes the cause of
   * `LOCK_UNAVAILABLE`. Must not throw.
   */
  outage?(): unknown;
}
