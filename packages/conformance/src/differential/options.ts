import type { Claim, LockProvider } from '@locks/core';
import type { KeyAnswer, KeyCall, KeyRecord, Place } from '@locks/core/adapter';
import type { Faults } from '../faults/faults.ts';

/** What the providers of a sequence are set to. */
export interface DifferentialRules {
  /** How long a position in the queue lasts without a repeat, in ms. */
  readonly waiterTtl: number;
}

/** The hooks of the suite that are used between calls. A fault that lasts ends after 200 ms. */
export type DifferentialFault = 'sever' | 'silence' | 'dropReply' | 'delay' | 'duplicate' | 'restart';

/** Makes a provider that can be hurt, as `proxiedProviders` does. */
export interface DisturbedProvider {
  /** Makes the provider. Called once. */
  readonly create: () => Promise<LockProvider>;
  /** Sequences have those that are there. */
  readonly faults: Pick<Faults, DifferentialFault>;
}

/** Where a provider differs from the rules on purpose. */
export interface Exemption {
  /** A name for it, in kebab case, as the report shows it. */
  readonly id: string;
  /** Why the store answers otherwise, and where that is documented. */
  readonly reason: string;
  /** Whether this difference is one of these. */
  covers(difference: Difference): boolean;
}

/** A call that was answered otherwise than the rules have it. */
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
  /** What of these came before it. A `batch`: several claims of a process called in one tick. */
  readonly after: ReadonlySet<DifferentialFault | 'batch' | 'close'>;
  /** The key before the call, as the rules have it, without what had expired. Of a list: of one. */
  readonly before: KeyRecord;
  /** What the provider answered, or the error that it rejected with. */
  readonly answer: unknown;
  /** What the rules answer. For a `list` the keys, for a `register` the text. */
  readonly expected: KeyAnswer | string | readonly string[] | undefined;
  /** The calls of the shortest sequence that was found to differ, and their answers. */
  readonly trace: readonly string[];
}

/** The time that a sequence runs in. */
export interface DifferentialTime {
  /** Monotonic ms. */
  now(): number;
  /** Resolves after `ms`. */
  sleep(ms: number): Promise<void>;
}

/** The provider to compare, and how. */
export interface DifferentialOptions {
  /** What messages call it. */
  readonly name: string;
  /**
   * Makes a fair provider with these settings. Each stands for another process, and all with the
   * same settings meet on one store. The test closes all. With hooks there are faults between the
   * calls, and a call whose answer was lost is repeated.
   */
  readonly create: (
    rules: DifferentialRules,
  ) => LockProvider | DisturbedProvider | Promise<LockProvider | DisturbedProvider>;
  /**
   * Claims outlast a sequence, so that only calls decide it. Their ttl is 40 s.
   * @default as `expiry: 'session'` has it
   */
  readonly lasting?: boolean | undefined;
  /**
   * What the store forgets when a provider is closed: its `places` in the queue, or its holds too.
   * @default 'all' with `expiry: 'session'`, else nothing
   */
  readonly closeEnds?: 'places' | 'all' | undefined;
  /**
   * Whether a release gives the key to this head of the queue at once, before it tries again.
   * @default it tries again
   */
  readonly assigns?: ((head: Place<unknown>, rules: DifferentialRules) => boolean) | undefined;
  /** How many sequences. @default 100 */
  readonly sequences?: number | undefined;
  /** How many calls and pauses each has. @default 18 */
  readonly length?: number | undefined;
  /** Of the first sequence, the next has the next one. @default 1 */
  readonly seed?: number | undefined;
  /** How many sequences run at the same time, each with three providers. @default 40 */
  readonly together?: number | undefined;
  /**
   * In real time the rules and the store read their clocks at different moments. A sequence is
   * abandoned where a hold or a place ends during a call, or within so many ms of it. @default 25
   */
  readonly margin?: number | undefined;
  /**
   * The part of the sequences that may be abandoned, from 0 to 1. While there are more, they run
   * again, with fewer at the same time, down to one. @default 0.1
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
  /** Time within the margin would have decided, or the store was too slow. They show nothing. */
  readonly abandoned: number;
  /** By the id of the exemption. These sequences end at the difference. */
  readonly exempted: Readonly<Record<string, number>>;
  /** The calls that were compared, in all sequences. */
  readonly calls: number;
}

/** A claim without what is the same for all of a sequence. */
export type Wish = Pick<Claim, 'mode' | 'permits'>;
