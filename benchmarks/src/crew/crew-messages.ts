/** What a crew works with. */
export type Backend = 'redis' | 'redlock' | 'sql' | 'zookeeper';

/** What one process of a crew does. */
export interface Assignment {
  readonly backend: Backend;
  /** Of several servers: all, separated by commas. */
  readonly url: string;
  /** A lock library, or `push` for the reference. */
  readonly subject: string;
  /** The key of all workers; with `ownKeys` the prefix of each worker's own key. */
  readonly key: string;
  readonly ownKeys?: boolean;
  /** Its index among the processes, from 0. */
  readonly process: number;
  readonly processes: number;
  /** The workers of this process have the numbers from `firstWorker`. */
  readonly firstWorker: number;
  readonly workers: number;
  /** Ms that each holds the lock. */
  readonly hold: number;
  /** Ms between the starts of two workers of all processes, which take turns. @default 0 */
  readonly spread?: number | undefined;
  /** How often each worker takes the lock. */
  readonly turns: number;
  readonly retryDelay: number | undefined;
  /** The command line of a peer that is a program of its own. */
  readonly program?: readonly string[] | undefined;
}

/** Requests of the benchmark to a process of the crew. */
export type Request =
  | { readonly kind: 'prepare'; readonly assignment: Assignment }
  /** Answered when its first claims are in the queue. */
  | { readonly kind: 'begin' }
  /** Answered when all its workers have had their turns. */
  | { readonly kind: 'finish' }
  /** All processes are in the queue: what is counted starts here. */
  | { readonly kind: 'measure' }
  /** The acquisitions since `measure`. */
  | { readonly kind: 'grants' }
  | { readonly kind: 'report' }
  /** Release what is held or waited for, and end. */
  | { readonly kind: 'leave' };

/** The results of a process of the crew. */
export interface CrewReport {
  /** Of `packClaims`. */
  readonly claims: Float64Array;
  /** Client commands since `measure`, if the client counts them. */
  readonly commands: number;
  readonly failures: number;
  readonly firstFailure: string | undefined;
  /** Of the reference: ms from a publish to its message. */
  readonly pushes: readonly number[];
}
