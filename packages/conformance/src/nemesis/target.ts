import type { Json, Turn } from './script.ts';

/** Where a server is, or what stands before it. */
export interface Address {
  /** Its host. */
  readonly host: string;
  /** Its port. */
  readonly port: number;
}

/** What the nemesis attacks: a store, and the ways to open locks on it. */
export interface NemesisTarget {
  /** What reports call it. */
  readonly name: string;
  /** In ms: the usual ttl of its locks, which the lengths of faults are measured by. */
  readonly ttl: number;
  /**
   * The servers. Each worker reaches each of them through a proxy of its own.
   * @default none: a store without a network
   */
  readonly servers?: readonly Address[];
  /** The ways to open locks, by name. Each worker draws one. */
  readonly openings: Readonly<Record<string, Opening>>;
  /**
   * Names of openings, in the order in which deploys bring them. All workers begin with the first
   * one, and are replaced by processes with the next, one after the other. @default none: each
   * worker keeps the opening that it draws
   */
  readonly deploys?: readonly string[];
  /** What can be done to the servers, by name, besides what every process and network has. */
  readonly faults?: Readonly<Record<string, ServerFault>>;
  /** In ms: how long after its last fault the store may grant nothing. @default 0 */
  readonly healing?: number;
  /** Whether a turn is one that the store can do. @default all are */
  readonly can?: (turn: Turn) => boolean;
  /** Whether the requests of a worker may be repeated on the wire. @default false */
  readonly duplicable?: boolean;
  /** Waiters are granted in the order in which they came. @default false */
  readonly fair?: boolean;
  /** Sharers of a key may have the same token. @default false */
  readonly sharersMayTie?: boolean;
  /**
   * Gives what is left in the store when no client holds or waits: a line for each. Called after
   * the last process of a round has ended, again until it gives none, for as long as leases may
   * last.
   * @default nothing is looked for
   */
  readonly leftovers?: () => Promise<readonly string[]>;
}

/** A way to open locks in a process of its own. */
export interface Opening {
  /**
   * A module that exports `open({ addresses, settings, args }): Promise<{ locks, close() }>`.
   * @default one that calls `openLocks(args)`, where `{host}` and `{port}` in the texts of `args`
   * stand for the address of the first server, `{host:1}` for that of the second
   */
  readonly module?: string | URL;
  /** What that module gets: data. */
  readonly args?: Json;
  /** By name, what its settings are drawn from. Of `openLocks`: they are options of the adapter. */
  readonly settings?: Readonly<Record<string, readonly Json[]>>;
}

/** Something that can be done to a store. */
export interface ServerFault {
  /** How many servers can have it. @default that of `servers` */
  readonly targets?: number;
  /**
   * In ttls: how long it lasts, from and to. `[0, 0]`: it is over when it has begun.
   * @default [0.5, 2]
   */
  readonly lasts?: readonly [number, number];
  /** How often it is drawn, in comparison. @default 1 */
  readonly weight?: number;
  /** In ms: how long after it no other fault of a server begins. @default two ttls */
  readonly recovery?: number;
  /** The store has lost data, so that holds may end early. @default false */
  readonly empties?: boolean;
  /** What was held when it began may be held a second time. @default that of `empties` */
  readonly doubles?: boolean;
  /** No call of any worker can be answered meanwhile. @default false */
  readonly silences?: boolean;
  /** The store has older data than before, and may give a token again. @default false */
  readonly restores?: boolean;
  /** The store refuses, for a reason that calls name. @default false */
  readonly refuses?: boolean;
  /** Whether it may be done now; it is left out otherwise. @default always */
  readonly may?: () => Promise<boolean>;
  /**
   * Begins it. Resolves to what ends it, or to nothing where it is over. `amount` is a number from
   * 50 to 600: what it means is up to the fault.
   */
  readonly begin: (server: number, amount: number) => Promise<(() => Promise<void>) | void>;
}
