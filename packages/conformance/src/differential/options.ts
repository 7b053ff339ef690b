import type { Claim, LockProvider } from '@locks/core';
import type { KeyAnswer, KeyCall, KeyRecord, Place } from '@locks/core/adapter';
import type { Faults } from '../faults/faults.ts';

/** The settings of the providers of a sequence. */
export interface DifferentialRules {
  /** How long a position in the queue lasts without a refresh, in ms. */
  readonly waiterTtl: number;
}

/** The hooks of the suite used between calls. A lasting fault ends after 200 ms. */
export type DifferentialFault = 'sever' | 'silence' | 'dropReply' | 'delay' | 'duplicate' | 'restart';

/** Creates a provider with faults, as `proxiedProviders` does. */
export interface DisturbedProvider {
  /** Creates the provider. Called once. */
  readonly create: () => Promise<LockProvider>;
  /** Sequences use those that are given. */
  readonly faults: Pick<Faults, DifferentialFault>;
}

/** An intended difference between a provider and the rules. */
export interface Exemption {
  /** A name for it, in kebab case, for the report. */
  readonly id: string;
  /** Why the store answers differently, and where that is documented. */
  readonly reason: string;
  /** Whether this exemption explains the difference. */
  covers(difference: Difference): boolean;
}

/** A call whose answer differs from that of the rules. */
export interface Difference {
  /** What differs. `wake`: a claim whose turn came was not woken. */
  readonly what:
    | 'granted'
    | 'token'
    | 'refusal'
    | 'retryAfter'
    | 'renewed'
    | 'freed'
    | 'holders'
    | 'waiters'
    | 'queue'
    | 'remaining'
    | 'time'
    | 'list'
    | 'register'
    | 'wake';
  /** Option `seed` with this number repeats the sequence. */
  readonly seed: number;
  /** The rules that the provider was compared with. */
  readonly rules: DifferentialRules;
  /** Absent: the call was `time`, `list` or `register`. */
  readonly call: KeyCall | undefined;
  /** Which of these came before it. A `batch`: several claims of a process called in one tick. */
  readonly after: ReadonlySet<DifferentialFault | 'batch' | 'close'>;
  /**
   * The key before the call, according to the rules, without expired entries. Of a list: of one
   * key.
   */
  readonly before: KeyRecord;
  /** What the provider returned, or the error that it rejected with. */
  readonly answer: unknown;
  /** What the rules return. For a `list` the keys, for a `register` the text. */
  readonly expected: KeyAnswer | string | readonly string[] | undefined;
  /** The calls of the shortest differing sequence found, and their answers. */
  readonly trace: readonly string[];
}

/** The time in which a sequence runs. */
export interface DifferentialTime {
  /** Monotonic ms. */
  now(): number;
  /** Resolves after `ms`. */
  sleep(ms: number): Promise<void>;
}

/** The provider to compare, and how. */
export interface DifferentialOptions {
  /** Its name in messages. */
  readonly name: string;
  /**
   * Creates a fair provider with these settings. Each represents another process, and all with the
   * same settings share one store. The test closes all. With hooks there are faults between the
   * calls, and a call whose answer was lost is repeated.
   */
  readonly create: (
    rules: DifferentialRules,
  ) => LockProvider | DisturbedProvider | Promise<LockProvider | DisturbedProvider>;
  /**
   * Claims outlast a sequence, so that only calls decide it. Their ttl is 40 s.
   * @default true with `expiry: 'session'`
   */
  readonly lasting?: boolean | undefined;
  /**
   * What the store forgets when a provider is closed: its `places` in the queue, or its holds too.
   * @default 'all' with `expiry: 'session'`, else nothing
   */
  readonly closeEnds?: 'places' | 'all' | undefined;
  /**
   * Whether a release grants the key to this head of the queue immediately, before it tries again.
   * @default it tries again
   */
  readonly assigns?: ((head: Place<unknown>, rules: DifferentialRules) => boolean) | undefined;
  /** The number of sequences. @default 100 */
  readonly sequences?: number | undefined;
  /** The number of calls and pauses of each. @default 18 */
  readonly length?: number | undefined;
  /** Of the first sequence; it increases by one. @default 1 */
  readonly seed?: number | undefined;
  /** How many sequences run simultaneously, each with three providers. @default 40 */
  readonly together?: number | undefined;
  /**
   * In real time the rules and the store read their clocks at different moments. A sequence is
   * abandoned if a hold or a position ends during a call, or within this many ms of it. @default 25
   */
  readonly margin?: number | undefined;
  /**
   * The part of the sequences that may be abandoned, from 0 to 1. While there are more, they run
   * again, with fewer simultaneous ones, down to one. @default 0.1
   */
  readonly abandonedAtMost?: number | undefined;
  /**
   * Virtual time, where the provider runs in it. Then `retryAfter` is compared too.
   * @default none: real time
   */
  readonly virtual?: DifferentialTime | undefined;
  /** @default none */
  readonly exemptions?: readonly Exemption[] | undefined;
}

/** How many sequences ended in which way. */
export interface DifferentialReport {
  /** Option `name`. */
  readonly name: string;
  /** The same answers throughout. */
  readonly agreed: number;
  /** Time within the margin would have decided, or the store was too slow. They prove nothing. */
  readonly abandoned: number;
  /** By the id of the exemption. These sequences end at the difference. */
  readonly exempted: Readonly<Record<string, number>>;
  /** The calls that were compared, in all sequences. */
  readonly calls: number;
}

/** The part of a claim that varies within a sequence. */
export type Wish = Pick<Claim, 'mode' | 'permits'>;
