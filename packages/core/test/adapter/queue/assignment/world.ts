import type { Assignment } from '../../../../src/adapter/queue/assignment.ts';

/** A call of a process: a request, and then its answer, on the way. */
export interface Call {
  readonly kind: 'ask' | 'renew' | 'release';
  readonly sentAt: number;
  answer: Answer | undefined;
  /** Its process has given it up: its request may arrive still, its answer does not. */
  orphan: boolean;
}

/** A number: the token of a grant. */
export type Answer = number | 'busy' | 'yes' | 'no';

/** A message of the server to a process. Without a grant it only says that the turn has come. */
export interface Message {
  readonly to: number;
  readonly grant: Assignment | undefined;
}

/** A process with one claim. */
export interface Process {
  stage: 'idle' | 'waiting' | 'held' | 'over' | 'crashed';
  calls: Call[];
  /** The latest grant that a message told. */
  assigned: Assignment | undefined;
  /** It was told that its turn has come, and has not looked yet. */
  woken: boolean;
  lookedAt: number;
  /** When it sent the last attempt that was answered busy, for the rules that count from there. */
  busySince: number;
  until: number;
  looks: number;
  renewals: number;
}

export interface Place {
  readonly process: number;
  deadline: number;
  /** What the last attempt said of its send. `undefined`: the waiter is told its turn, no grant. */
  sentAt: number | undefined;
}

export interface Hold {
  readonly process: number;
  readonly token: number;
  expires: number;
}

/** One state of everything. */
export interface World {
  now: number;
  processes: Process[];
  hold: Hold | undefined;
  queue: Place[];
  counter: number;
  /** The server grants nothing before. */
  guardedUntil: number;
  messages: Message[];
  /** The highest token of a lease. */
  highest: number;
  /** For how many ticks no live process has held the key while one waited. */
  unused: number;
  faults: Faults;
  problem: string | undefined;
}

/** How often things may still go wrong. */
export interface Faults {
  readonly ticks: number;
  readonly crashes: number;
  /** A call has no answer. Its request may arrive still. */
  readonly losses: number;
  /** A message is lost. */
  readonly drops: number;
  /** The server comes back without the hold. */
  readonly restarts: number;
}

/** What the rules are made of, so that weaker ones can be shown to break. */
export interface Rules {
  /** How long a grant of a message lasts, in ticks from now. `undefined`: ask the server. */
  lastsFor(grant: Assignment, world: World, process: Process, ttl: number): number | undefined;
  /**
   * How long the server keeps a hold that it has assigned, in ticks. `left`: how long the place
   * would have lasted.
   */
  assignedTtl(ttl: number, left: number): number;
  /** The token that the message tells. */
  tokenTold(minted: number, before: number): number;
  /** A release frees a hold that was assigned and not looked at. */
  readonly releaseFrees: boolean;
  /** `lastsFor` counts from `busySince`. */
  readonly countsFromBusy: boolean;
  /** A repeat by the holder restarts the ttl. */
  readonly repeatRestarts: boolean;
  /** A server that has come back assigns nothing before it may grant. */
  readonly guardsAssignments: boolean;
}

/** What a search goes through. */
export interface Setting {
  /** Of each process: it is in a fleet with the new scripts (`true`), or only knows wakes. */
  readonly assignable: readonly boolean[];
  readonly ttl: number;
  /** How long a place lasts without a look. */
  readonly placeTtl: number;
  /** A waiter looks as often. */
  readonly lookEvery: number;
  readonly looks: number;
  readonly renewals: number;
  /** The server grants nothing for a ttl after a restart. */
  readonly guarded: boolean;
  /** The server sees that a process is gone when it sends it a message. */
  readonly detects: boolean;
  /**
   * Time passes only when all calls are answered, all messages arrived or lost, and all looks made
   * that are due. So times can be bounded.
   */
  readonly prompt: boolean;
  /** Processes crash only while they wait, with no call under way: a dead head, no dead holder. */
  readonly deadHeads: boolean;
  /** The key may stay unused for so many ticks while a live process waits. */
  readonly mostUnused: number;
  readonly faults: Faults;
}

export function copyWorld(world: World): World {
  return {
    ...world,
    processes: world.processes.map((process) => ({
      ...process,
      calls: process.calls.map((call) => ({ ...call })),
    })),
    hold: world.hold === undefined ? undefined : { ...world.hold },
    queue: world.queue.map((place) => ({ ...place })),
    messages: [...world.messages],
  };
}
