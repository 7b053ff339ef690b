/**
 * Medians of the per-round ratios to another subject, of `perSecond` or where less is better. Of a
 * Cluster, `ratioToServer` is of the pairs, uncontended, and of `p50`, contended. `ratioToPeer` is
 * to the fastest peer, `ratioToQuiet` to the state without waiting clients, `acquireToRaw` of
 * `acquireP50`.
 */
export type RatioName =
  | `ratioTo${'Raw' | 'Verrou' | 'Curator' | 'Kazoo' | 'Peer' | 'Server' | 'Quiet'}`
  | 'acquireToRaw';

/** With the lowest and the highest of the rounds. */
export type Ratios = { readonly [Name in RatioName | `${RatioName}${'Low' | 'High'}`]?: number | undefined };

/**
 * One subject in one scenario. Times are in ms unless the name says otherwise; absent: not
 * measured.
 */
export interface Result extends Ratios {
  readonly scenario: string;
  readonly subject: string;

  // What was set
  /** Its subjects are the phases. */
  readonly migration?: string | undefined;
  readonly concurrency?: number | undefined;
  readonly waiters?: number | undefined;
  readonly processes?: number | undefined;
  readonly hold?: number | undefined;
  readonly leases?: number | undefined;
  /** Ms that a link to a node takes in each direction. */
  readonly linkDelay?: number | undefined;
  /** Which node of a quorum was frozen, from 1. */
  readonly node?: number | undefined;

  // Speed
  readonly perSecond?: number | undefined;
  /** The fastest peer of the run, of `ratioToPeer`. */
  readonly fastestPeer?: string | undefined;
  /** Of an acquire and release, uncontended; of the gap between two holders, contended. */
  readonly p50?: number | undefined;
  readonly p99?: number | undefined;
  /** Of an uncontended acquire alone. */
  readonly acquireP50?: number | undefined;
  readonly acquireP99?: number | undefined;
  readonly totalTime?: number | undefined;
  /** The mean duration of a hold. */
  readonly held?: number | undefined;
  /** The shortest and the longest, where `totalTime` is the median of several runs. */
  readonly totalTimeLow?: number | undefined;
  readonly totalTimeHigh?: number | undefined;
  readonly completed?: number | undefined;
  readonly wanted?: number | undefined;

  /** One simultaneous command to all nodes of a quorum, without other load: median. */
  readonly roundTrip?: number | undefined;
  /** From the call to its grant. */
  readonly meanWait?: number | undefined;
  readonly longestWait?: number | undefined;
  /** Pairs that took about a member timeout, and their time: of the worst worker. */
  readonly slowPairs?: number | undefined;
  readonly slowTime?: number | undefined;

  // Work
  readonly commandsPerAcquisition?: number | undefined;
  readonly allCommandsPerAcquisition?: number | undefined;
  readonly serverMicroseconds?: number | undefined;
  /** Sent to the database by all clients. */
  readonly statementsPerAcquisition?: number | undefined;
  /** Of an uncontended acquire and release, counted on their way to the server. */
  readonly statementsPerPair?: number | undefined;
  readonly roundTripsPerPair?: number | undefined;
  /** How many sequential answers a grant needs. */
  readonly roundTripsPerGrant?: number | undefined;
  readonly connectionsPerPair?: number | undefined;
  /** The same statements, as the server counts them. */
  readonly serverStatementsPerPair?: number | undefined;
  /** ZooKeeper: requests that reached the server, including heartbeats and handshakes. */
  readonly operationsPerAcquisition?: number | undefined;
  /** The same for an uncontended acquire and release, by their kind. */
  readonly operationsPerPair?: number | undefined;
  readonly operations?: string | undefined;
  /** CPU time of the measuring process, for each acquire and release. */
  readonly clientMicroseconds?: number | undefined;
  /** CPU time of the server's process, for each of the same. */
  readonly serverCpuMicroseconds?: number | undefined;
  /** CPU ms per second. */
  readonly clientCpu?: number | undefined;
  readonly serverCpu?: number | undefined;
  readonly commandsPerSecond?: number | undefined;
  readonly lost?: number | undefined;

  // Order
  readonly acquisitions?: number | undefined;
  /** Share of the acquisitions that went to another worker than the one before. */
  readonly handedOver?: number | undefined;
  /** Share of the acquisitions by a worker of another process. */
  readonly crossed?: number | undefined;
  /** Of the gap between two holders of different processes. */
  readonly crossedP50?: number | undefined;
  readonly crossedP99?: number | undefined;
  /** Acquisitions granted before a certainly earlier claim. */
  readonly inversions?: number | undefined;
  readonly fairness?: number | undefined;
  readonly starved?: number | undefined;
  readonly failures?: number | undefined;
  readonly firstFailure?: string | undefined;
  readonly violations?: number | undefined;

  /** Lines of level ERROR or worse in the log of the server. */
  readonly severeLines?: number | undefined;

  // Size
  readonly heapBytes?: number | undefined;
  readonly packedBytes?: number | undefined;
  readonly installedBytes?: number | undefined;
  readonly packages?: number | undefined;
  readonly importTime?: number | undefined;
  readonly nanoseconds?: number | undefined;
}
