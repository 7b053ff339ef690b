/**
 * The contract between `@locks/core` and a provider: the one page an adapter author reads.
 *
 * A provider only answers. Core does everything that waits, times, retries, renews or reports. All
 * durations are milliseconds.
 *
 * Four laws:
 *
 * 1. Granted, busy and false are certain. A rejection means *unknown*, except `LOCK_INVALID`,
 *    `LOCK_MISCONFIGURED` and `LOCK_CLOSED`, which mean "not, and will not". After
 *    `LOCK_MISCONFIGURED` core releases the claim once: the server may refuse in the middle of its
 *    work and leave something. Contention is never an exception. A dead backend is never
 *    contention. A provider rejects only when its command can no longer take effect, or when its
 *    effect ends a ttl after the rejection at the latest. A call that certainly never left this
 *    process (there was no connection, say) rejects with a `LockError` whose option `sent` is
 *    `false`. Core then releases nothing for this call, so the provider must keep nothing of it.
 * 2. Every call may be repeated. A claim whose reply was lost is sent again and finds itself the
 *    holder: the same token, the ttl restarted. After a release was sent, core never acquires with
 *    that owner again. Calls of one owner may be under way at once: one that was given up beside
 *    its repeat, a renewal beside the release. None of them is busy or false on account of another.
 *    Only a renewal beside a release may find the hold gone.
 * 3. The server's clock or session decides expiry. Only core's monotonic clock decides validity. No
 *    client wall clock decides anything.
 * 4. Tokens of one key strictly increase. Each grant's token exceeds those of all earlier grants it
 *    conflicts with. No token is given twice. That holds across release, expiry, forced release,
 *    restarts and the clean-up of idle keys.
 *
 * **A place in line** ends with the grant, or with `release`. Core repeats or releases each of its
 * claims, but a process may die, and a release may get lost. So a place also ends without them:
 *
 * - `expiry: 'ttl'`, `'observed'`: a place lapses when its claim is not repeated, after 10 s at
 *   most unless the user asked for longer. It lasts for three times `retryAfter` at least (1 500
 *   ms without one), because repeats come late. It may lapse sooner when its turn has come and
 *   its claim stays away. A provider may keep it while another of its claims waits for the key
 *   and is repeated.
 * - `expiry: 'session'`: a place lasts as long as the session, and needs no repeats.
 *
 * After `close` of a provider its places end within the same time.
 *
 * A store may grant a free key to a claim in line before that claim tries again. The provider then
 * calls `wake`, and answers the next attempt with this grant and what is left of its `validity`.
 * Until then the hold ends no later than the place would have.
 */

/** `exclusive`: one holder at a time. `shared`: together with other shared holders. */
export type Mode = 'exclusive' | 'shared';

/**
 * One party's wish for a key. Core makes it, validates it, and repeats it unchanged until it is
 * granted or released. Once it holds the key, each call may have another ttl.
 */
export interface Claim {
  /**
   * The name to lock: 1 to 512 UTF-8 bytes, no NUL, no lone surrogate. Compared byte by byte: no
   * normalisation, no case folding. A provider encodes what its store cannot take; it never
   * restricts further.
   */
  readonly key: string;
  /**
   * Unique per lease and never reused: `<label>/<unique>`. The label (`host:pid` by default) is
   * what people see. A provider compares owners verbatim and reads nothing from them. At most 250
   * ASCII characters. A composite takes 200 at most: for its members it appends `~` and 1 to 12
   * characters of `0-9a-z`.
   */
  readonly owner: string;
  /** The duration asked for, in ms: an integer from 50 to 86 400 000. */
  readonly ttl: number;
  readonly mode: Mode;
  /**
   * Shared only: at most this many holders at once, an integer from 1 to 2 147 483 647. Absent
   * means unlimited, which is a number like another. The number is fixed for a key while a claim
   * without `resize` shares it or waits to. A different one rejects with `LOCK_INVALID`, naming
   * both.
   */
  readonly permits?: number;
  /**
   * With `permits`, and only where the trait `resize` is declared. The claim is granted while fewer
   * than its own `permits` share the key, whatever number other claims have. It is not refused for
   * its number, and fixes none.
   */
  readonly resize?: true;
  /**
   * The token of a new grant must exceed it. A repeat by the holder keeps its token, whatever the
   * floor (law 2). A store that gave the key to a claim in line may still raise that token, as long
   * as no attempt was answered with it. Below 2^53. A store whose tokens end there rejects with
   * `LOCK_INVALID`, naming the key and the end.
   */
  readonly floor?: bigint;
}

/** The claim holds the key. */
export interface Grant {
  readonly granted: true;
  /** The fencing token, minted in the same atomic step as the grant. */
  readonly token: bigint;
  /**
   * How long the grant lasts, in ms from the call. Absent: the ttl. Session providers always report
   * it. With `expiry: 'ttl'` and less than half of the ttl, core asks again for a lease that is not
   * renewed, that rests, or whose ttl is above the default of 30 s: the repeat restarts the ttl.
   */
  readonly validity?: number;
  /**
   * How long the store keeps the hold at least, in ms from the call, where that is longer than
   * `validity`: the lease ends, and the key is still closed. Absent: `validity`.
   */
  readonly hold?: number;
  /** Aborted when the provider learns that the hold is gone (sessions). */
  readonly lost?: AbortSignal;
}

/**
 * Others hold the key, are in line before this claim, or try for the key at this moment. Of
 * attempts at once on a free key one is granted. A composite may turn all of them away, and its
 * states have `members`. It also says so while a member has not yet taken back what an ended claim
 * left there.
 */
export interface Busy {
  readonly granted: false;
  /**
   * The latest moment for the next attempt, in ms from the answer. One moment for all waiters
   * brings them all at once. Absent: core polls at a pace of its own.
   */
  readonly retryAfter?: number;
}

/** The claim still holds the key and its ttl was restarted. */
export interface Renewal {
  /** How long the renewed hold lasts, in ms from the call. Absent: the ttl. */
  readonly validity?: number;
  /** As in a grant. */
  readonly hold?: number;
}

/** One holder, as far as the store knows it. Holders of other libraries have what can be known. */
export interface Holder {
  readonly owner: string;
  readonly mode: Mode;
  readonly token?: bigint;
  /** Ms until the store lets go, if it is not renewed. */
  readonly remaining?: number;
}

/** The state of one key at one moment. */
export interface KeyState {
  readonly key: string;
  readonly holders: readonly Holder[];
  /** How many claims are in line. */
  readonly waiters: number;
  /** Composites: what each member told, in their order. */
  readonly members?: readonly (KeyState | UnknownState)[];
}

/** A member of a composite that told nothing of a key. It may be held there. */
export interface UnknownState {
  /** Why: it refused, did not answer in time, or was not asked. */
  readonly error: Error;
  readonly key?: undefined;
  readonly holders?: undefined;
  readonly waiters?: undefined;
}

/** A change of a register: it becomes `to` if it is `from`. `undefined`: there is no text. */
export interface RegisterChange {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/**
 * What a provider declares about itself. The conformance suite derives from it which requirements
 * apply.
 */
export interface Traits {
  /** Who can meet on one key: one process, the processes of one host, or all of the network. */
  readonly scope: 'process' | 'host' | 'network';
  /**
   * What ends the hold of a dead holder: the ttl on the server's clock, or the end of its session.
   * `observed`: the store has no clock, so the hold ends when another process has seen it unchanged
   * for its whole ttl. A process that tries once and exits never does.
   */
  readonly expiry: 'ttl' | 'observed' | 'session';
  /**
   * `strict`: law 4 holds through all that the store promises to survive, such as crashes,
   * failovers and elections. Only an operator who empties the store ends that. `clock-bounded`: law
   * 4 holds while the store keeps its counter, which a fault may take. After that it holds as long
   * as server clocks differ by less than the time between the two grants. `none`: tokens mean
   * nothing.
   */
  readonly fencing: 'strict' | 'clock-bounded' | 'none';
  /**
   * Claims that wait are granted in the order in which they took their place in line. A composite
   * that loses the member of a line lines its claims up again at another member.
   */
  readonly fair: boolean;
  /**
   * Shared mode and permits are supported. Without it a shared claim rejects with `LOCK_INVALID`.
   */
  readonly shared: boolean;
  /** Claims with `resize` are supported. Absent: they are not, and core sends none. */
  readonly resize?: boolean;
  /** `wake` is called when another attempt is worth making. Without it core polls. */
  readonly wake: boolean;
}

/**
 * One backend's adapter. Each call settles within the provider's `timeout` (5 000 ms by default).
 * Every call that begins after another has settled sees its effect, through any provider and at any
 * of the store's servers. A replica that lags is brought up to date first, or not asked.
 *
 * A provider whose calls need no I/O lets the event loop turn now and then (`Runtime.yieldIfDue`):
 * `await` alone does not.
 */
export interface LockProvider {
  /** The backend's name, for messages and diagnostics. */
  readonly name: string;
  readonly traits: Traits;
  /**
   * One atomic attempt; never waits for the lock. A repeat by the holder answers with the same
   * token and restarts the ttl, as `renew` does. A repeat of a held exclusive claim as shared
   * converts the hold without a gap, and wakes the sharers in line. Shared to exclusive is refused
   * (`LOCK_INVALID`).
   *
   * With `wake` the caller intends to wait. The provider takes a place in line where there is one,
   * and calls `wake` when another attempt is worth making, until granted or released. It may call
   * it any number of times, also without need, and never synchronously. The latest callback of an
   * owner counts. A wake since the send of an attempt counts, even before its busy answer. A repeat
   * without `wake` keeps the place.
   *
   * Rejects with `sent: false` when no command of this call can have left anything. A place or a
   * hold of an earlier attempt stays. A `renew` or a `release` may say so too; core repeats them as
   * after any other rejection.
   */
  tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy>;
  /**
   * Optional: one atomic attempt for several keys, all of them or none. The claims are exclusive,
   * of one ttl and one floor, on 2 to 100 keys. None of them takes a place in line. Resolves to
   * their grants, in the order of the claims, where each key is free and has no line. A claim that
   * holds its key counts as `tryAcquire` has it: the same token, the ttl restarted. `false`: no
   * claim got anything by this call. Core then takes the keys one after another, so a provider also
   * says so where it cannot decide all of them in one step. A rejection means that it is unknown,
   * for each of the claims.
   */
  readonly tryAcquireAll?: ((claims: readonly Claim[]) => Promise<readonly Grant[] | false>) | undefined;
  /**
   * Restarts the ttl of this claim's hold, and of no other. The ttl may be another one than before,
   * and the hold ends with it, earlier or later. The waiters hear of an earlier end: a wake, or no
   * `retryAfter` that is much longer than a place needs. With `token` (below 2^53), also makes
   * it this lease's token and the key's counter at least that; refused when the lease's own token
   * is higher. `false`: this claim certainly does not hold the key (or the token was refused: then
   * release). An expired hold cannot be renewed, also where the key is free since.
   */
  renew(claim: Claim, token?: bigint): Promise<Renewal | false>;
  /**
   * Optional: `renew` without a token, for several claims in one call. The claims are exclusive, of
   * one ttl and of different owners, at most 32. Resolves to what `renew` would answer for each, in
   * their order. `undefined`: this claim is as it was, and core calls `renew` for it. A rejection
   * means that it is unknown, for each of the claims.
   */
  readonly renewAll?: ((claims: readonly Claim[]) => Promise<readonly (Renewal | false | undefined)[]>) | undefined;
  /**
   * Gives up all that the claim has: the hold, or the place in line. The local registration of
   * `wake` goes before any I/O. `true`: this call freed a hold that had not expired. A grant that
   * no attempt was answered with is no hold of the claim. Of several at once at most one answers
   * `true`; exactly one does where all go through one provider. Once it has settled, nothing that
   * happens later wakes the claim. Not each hold is released: a process dies, hands a lease over,
   * or lets a key rest. A provider keeps nothing of a hold that has ended.
   */
  release(claim: Claim): Promise<boolean>;
  /**
   * The holders of `key`, and the number of waiters. A forced release is `release` with an owner
   * and mode reported here.
   */
  inspect(key: string): Promise<KeyState>;
  /**
   * Ends connections and timers that the provider made itself; a composite closes its members.
   * Later calls reject with `LOCK_CLOSED`, those under way settle. Calls the `wake` of every claim
   * that waits with it, a last time and not synchronously. Core then tries again at once, and its
   * caller hears `LOCK_CLOSED`. Idempotent.
   */
  close(): Promise<void>;
  /** Optional: the keys with this prefix that are held or waited for, in no order. */
  list?(prefix: string): AsyncIterable<string>;
  /**
   * Optional: the ms since 1970 by the store's own clock, which all its clients share. It decides
   * nothing about a hold: core derives from it what a moment is called.
   */
  time?(): Promise<number>;
  /**
   * Optional: a short text that the store keeps under `name`, apart from all keys, until a client
   * changes it. It outlives processes, sessions and restarts as far as the store's data does. It
   * has no expiry. Without `change`: gives the text. With `change`: one atomic compare-and-set, and
   * gives the text that the store has after it. The change was made, or found made, where that is
   * `to`. `name`: 1 to 250 characters of `!` to `~`; a text has 1 to 200 of them. Both are compared
   * byte by byte; others reject with `LOCK_INVALID`. Neither `list` nor a clean-up of idle keys
   * touches it. Another rejection means unknown: the change may still be made later, while the text
   * is `from`. A repeat does no harm.
   */
  register?(name: string, change?: RegisterChange): Promise<string | undefined>;
  /**
   * Optional. Gives why calls are not answered at present, or `undefined` if the provider does not
   * know. Core gives it as the cause of `LOCK_UNAVAILABLE` where a wait ends before the provider
   * rejects. Must not throw.
   */
  outage?(): unknown;
}
