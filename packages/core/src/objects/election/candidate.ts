import { LockError, isPermanent } from '../../errors/lock-error.ts';
import type { Lease } from '../../lease.ts';
import { channels } from '../../leases/diagnostics/channels.ts';
import type { ElectionMessage } from '../../leases/diagnostics/messages.ts';
import type { Closable, Linked } from '../../leases/ending/linked-set.ts';
import { printAs, withJson } from '../../leases/hold/printed.ts';
import { PublicLease } from '../../leases/hold/public-lease.ts';
import type { JointCalls } from '../joint-calls.ts';
import type { AcquireOptions } from '../../options/acquire-options.ts';
import type { ReadOptions } from '../../options/read-options.ts';
import { pause } from '../../time/pause.ts';
import type { LockState } from '../../lock-state.ts';
import { settledWithin } from '../../time/settled-within.ts';
import { untilAborted } from '../../time/until-aborted.ts';
import type { Election, Lead, Leader, Leadership } from './election.ts';
import type { ElectionHost } from './observe.ts';
import { readStopOptions, readWhenLeadingOptions, usual } from './options.ts';
import type { ElectOptions, StopOptions, WhenLeadingOptions } from './options.ts';

/** How often a cooldown doubles at most. With more, a candidate is away longer after errors. */
const mostDoublings = 4;

/** What `lead` threw, which may be `undefined`. */
interface Failure {
  readonly error: unknown;
}

/** The lease of a leader. Its signal also aborts when the leader is asked to resign. */
class Term extends PublicLease {
  readonly #resigned: AbortSignal;
  #signal: AbortSignal | undefined = undefined;

  constructor(lease: PublicLease, resigned: AbortSignal) {
    super(lease);
    this.#resigned = resigned;
  }

  override get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([super.signal, this.#resigned]);
    return this.#signal;
  }
}

/** Competes for leadership under a key, leads, and competes again. */
export class Candidate implements Election, Closable {
  static {
    printAs('Election', Candidate.prototype);
  }

  setPrevious: Linked | undefined = undefined;
  setNext: Linked | undefined = undefined;
  readonly #ended: Promise<void>;
  readonly #host: ElectionHost;
  readonly #locks: JointCalls;
  readonly #leadership: Leadership;
  readonly #lead: Lead;
  readonly #cooldown: number;
  /** How long a call waits for `lead`, in ms. */
  readonly #drain: number;
  readonly #options: AcquireOptions;
  readonly #stop = new AbortController();
  #term: Term | undefined = undefined;
  #resigned = new AbortController();
  /** Settles with the current term, when its lease was released. */
  #standing: Promise<boolean> = Promise.resolve(true);
  #closing = false;
  #over = false;
  /** Called when it may lead, by those who wait for that. */
  readonly #looks = new Set<() => void>();
  /** Ends the term, even if `lead` has not ended. */
  #leave!: () => void;
  readonly #left = new Promise<void>((resolve) => {
    this.#leave = resolve;
  });

  constructor(
    host: ElectionHost,
    locks: JointCalls,
    leadership: Leadership,
    lead: Lead,
    { ttl, maxHold, label, cooldown = usual, drain, signal }: ReadOptions<ElectOptions> & { readonly drain: number },
  ) {
    if (typeof lead !== 'function') {
      throw new LockError('LOCK_INVALID', 'elect(key, lead, options): "lead" must be a function.');
    }
    this.#host = host;
    this.#locks = locks;
    this.#leadership = leadership;
    this.#lead = lead;
    this.#cooldown = cooldown;
    this.#drain = drain;
    const own = { mode: 'exclusive', wait: Infinity, renew: true, reentrant: false } as const;
    this.#options = { ...own, ttl, maxHold, label, signal: this.#stop.signal };
    host.acquisitions.add(this);
    // No caller awaits it.
    const stop = (): void => void this.stop({ drain: Infinity });
    signal?.addEventListener('abort', stop);
    if (signal?.aborted === true) this.#stop.abort();
    this.#ended = this.#stand().finally(() => {
      host.acquisitions.delete(this);
      signal?.removeEventListener('abort', stop);
      this.#over = true;
      this.#lookAgain();
    });
    // The channel reports it to others.
    this.#ended.catch(() => {});
  }

  get key(): string {
    return this.#leadership.key;
  }

  get leading(): boolean {
    return this.#term?.held === true;
  }

  async whenLeading(options: WhenLeadingOptions = {}): Promise<Lease> {
    const { signal } = readWhenLeadingOptions(options);
    return await new Promise((resolve, reject) => {
      const look = (): void => {
        if (signal?.aborted === true) reject(signal.reason as Error);
        else if (this.#over) reject(endedError(this.key));
        else if (this.#term?.held === true) resolve(this.#term);
        else return;
        this.#looks.delete(look);
        signal?.removeEventListener('abort', look);
      };
      this.#looks.add(look);
      signal?.addEventListener('abort', look);
      look();
    });
  }

  inspect(): Promise<LockState> {
    return this.#leadership.inspect();
  }

  leader(): Promise<Leader | null> {
    return this.#leadership.leader();
  }

  [Symbol.asyncIterator](): AsyncIterator<Leader | null> {
    return this.#leadership[Symbol.asyncIterator]();
  }

  get ended(): Promise<void> {
    // Its own leader would wait for itself.
    return this.#isWithin() ? Promise.race([untilAborted(this.#stop.signal), this.#ended]) : this.#ended;
  }

  async resign(): Promise<boolean> {
    const term = this.#term;
    if (term === undefined) return false;
    this.#askToResign();
    if (this.#isWithin()) return true;
    await this.#wait(this.#standing, this.#drain);
    return this.#term !== term;
  }

  async stop(options: StopOptions = {}): Promise<void> {
    const { drain = this.#drain } = readStopOptions(options);
    this.#stop.abort();
    this.#askToResign();
    if (this.#isWithin()) return;
    await this.#wait(this.#ended, drain);
    this.#leave();
    await this.#ended.catch(() => {});
  }

  /** Whether the leader itself calls: its own election must not wait for it. */
  #isWithin(): boolean {
    return this.#term !== undefined && this.#locks.worksUnder(this.#term.owner);
  }

  /** Until `end` settles, or for `ms`. */
  async #wait(end: Promise<unknown>, ms: number): Promise<void> {
    if (ms === Infinity) await end.catch(() => {});
    else await settledWithin(this.#host.runtime, ms, end);
  }

  /** Ends it because its client is closing. The second call: its leader has had its time. */
  close(reason: LockError): void {
    if (this.#closing) this.#leave();
    this.#closing = true;
    this.#stop.abort(reason);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  toJSON(): Pick<Election, 'key' | 'leading'> {
    return { key: this.key, leading: this.leading };
  }

  async #stand(): Promise<void> {
    const { signal } = this.#stop;
    const { runtime } = this.#host;
    for (let failures = 0; !signal.aborted;) {
      this.#standing = this.#serve();
      failures = (await this.#standing) ? 0 : failures + 1;
      const pauseLength = this.#cooldown * 2 ** Math.min(Math.max(failures - 1, 0), mostDoublings);
      await pause(runtime, pauseLength * (0.5 + runtime.random() / 2), { signal });
    }
  }

  /**
   * Waits for one term and leads in it. Returns whether it ended well.
   * @throws what another term would not fix.
   */
  async #serve(): Promise<boolean> {
    let failure: Failure | undefined;
    try {
      const taken = (await this.#locks.acquire(this.key, this.#options)) as PublicLease;
      await this.#locks.hold(taken, { noted: true }, async (lease) => {
        failure = await this.#rule(lease);
        if (failure !== undefined && !channels.election.hasSubscribers) this.#warn(failure.error);
      });
    } catch (error) {
      failure ??= { error };
      if (this.#term === undefined) {
        if (this.#stop.signal.aborted) return true;
        this.#tell({ event: 'failed', error });
        if (isPermanent(error)) throw error;
        return false;
      }
    }
    this.#term = undefined;
    this.#tell({ event: 'ended', ...failure });
    return failure === undefined;
  }

  /** Leads under `lease`. Returns how `lead` failed, unless the term had ended. */
  async #rule(lease: Lease): Promise<Failure | undefined> {
    this.#resigned = new AbortController();
    const term = new Term(lease as PublicLease, this.#resigned.signal);
    this.#term = term;
    // An earlier call of `stop` found no term to resign from.
    if (this.#stop.signal.aborted) this.#askToResign();
    this.#tell({ event: 'elected', owner: lease.owner, token: lease.token });
    this.#lookAgain();
    try {
      await Promise.race([this.#lead(term), this.#left]);
      return undefined;
    } catch (error) {
      return isEndOf(term, error) ? undefined : { error };
    }
  }

  #askToResign(): void {
    const message = `The leader of ${JSON.stringify(this.key)} was asked to resign.`;
    this.#resigned.abort(new LockError('LOCK_CLOSED', message, { key: this.key }));
  }

  #lookAgain(): void {
    for (const look of this.#looks) look();
  }

  #tell(what: Omit<ElectionMessage, 'provider' | 'key'>): void {
    const { name } = this.#host.provider;
    if (channels.election.hasSubscribers)
      channels.election.publish(withJson({ provider: name, key: this.key, ...what }));
  }

  /** The error of a leader must be seen. */
  #warn(error: unknown): void {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const message = `The leader of ${JSON.stringify(this.key)} failed; it is a candidate again.`;
    process.emitWarning(message, { code: 'LOCKS_ELECTION', detail });
  }
}

/** Whether `error` only says that a term has ended. Node's own calls wrap it as a cause. */
function isEndOf({ signal }: Term, error: unknown): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.cause === signal.reason));
}

function endedError(key: string): LockError {
  return new LockError('LOCK_CLOSED', `The candidacy for ${JSON.stringify(key)} has ended.`, { key });
}
