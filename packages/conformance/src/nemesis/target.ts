import type { Json, Turn } from './script.ts';

/** The address of a server, or of what is in front of it. */
export interface Address {
  /** Its host. */
  readonly host: string;
  /** Its port. */
  readonly port: number;
}

/** What the nemesis attacks: a store, and the ways to open clients for it. */
export interface NemesisTarget {
  /** Its name in reports. */
  readonly name: string;
  /** The usual ttl of its locks in ms, the unit of the durations of faults. */
  readonly ttl: number;
  /**
   * The servers. Each worker reaches each of them through a separate proxy.
   * @default none: a store without a network
   */
  readonly servers?: readonly Address[];
  /** The ways to open clients, by name. Each worker draws one. */
  readonly openings: Readonly<Record<string, Opening>>;
  /**
   * Names of openings, in the order of deploys. All workers begin with the first one, and are
   * replaced one by one by processes with the next. @default none: each worker keeps the opening
   * that it draws
   */
  readonly deploys?: readonly string[];
  /** Faults of the servers, by name, besides those of every process and network. */
  readonly faults?: Readonly<Record<string, ServerFault>>;
  /** How long after its last fault the store may grant nothing, in ms. @default 0 */
  readonly healing?: number;
  /** Whether the store supports a turn. @default all */
  readonly can?: (turn: Turn) => boolean;
  /** Whether the requests of a worker may be repeated on the wire. @default false */
  readonly duplicable?: boolean;
  /** Waiters are granted in the order in which they came. @default false */
  readonly fair?: boolean;
  /** Sharers of a key may have the same token. @default false */
  readonly sharersMayTie?: boolean;
  /**
   * Returns what is left in the store when no client holds or waits: one line each. Called after
   * the last process of a round has ended, repeatedly until it returns none, for as long as leases
   * may last.
   * @default not checked
   */
  readonly leftovers?: () => Promise<readonly string[]>;
}

/** A way to open a client in a separate process. */
export interface Opening {
  /**
   * A module that exports `open({ addresses, settings, args }): Promise<{ locks, close() }>`.
   * @default one that calls `openLocks(args)`, with `{host}` and `{port}` in the texts of `args`
   * replaced by the address of the first server, `{host:1}` by that of the second
   */
  readonly module?: string | URL;
  /** The data for that module. */
  readonly args?: Json;
  /**
   * The values from which its settings are drawn, by name. Of `openLocks`: options of the adapter.
   */
  readonly settings?: Readonly<Record<string, readonly Json[]>>;
}

/** A fault of a store. */
export interface ServerFault {
  /** How many servers can have it. @default that of `servers` */
  readonly targets?: number;
  /**
   * Its duration in ttls, from and to. `[0, 0]`: it ends when it has begun.
   * @default [0.5, 2]
   */
  readonly lasts?: readonly [number, number];
  /** Its relative weight. @default 1 */
  readonly weight?: number;
  /** How long after it no other fault of a server begins, in ms. @default two ttls */
  readonly recovery?: number;
  /** The store has lost data, so that holds may end early. @default false */
  readonly empties?: boolean;
  /** What was held when it began may get a second holder. @default that of `empties` */
  readonly doubles?: boolean;
  /** No call of any worker can be answered meanwhile. @default false */
  readonly silences?: boolean;
  /** The store has older data than before, and may grant a token again. @default false */
  readonly restores?: boolean;
  /** The store refuses, with a reason. @default false */
  readonly refuses?: boolean;
  /** Whether it is possible now; it is skipped otherwise. @default always */
  readonly may?: () => Promise<boolean>;
  /**
   * Begins it. Resolves to a function that ends it, or to nothing if it has ended. `amount` is a
   * number from 50 to 600, with a meaning defined by the fault.
   */
  readonly begin: (server: number, amount: number) => Promise<(() => Promise<void>) | void>;
}
