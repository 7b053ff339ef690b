import type { Runtime } from '../../time/runtime.ts';
import type { StoreCalls } from './store-calls.ts';

const prefix = 'pace:';

/**
 * A process asks for gaps after this many lost compare-and-sets in a row. With fewer, it asks where
 * others hardly write.
 */
const losses = 2;
/**
 * With a shorter round trip, in ms, a process does not ask: it tries often, and gaps slow down all
 * others.
 */
const near = 5;
/** For how long after a loss a process asks before each renewal and release, in ms. */
const remembered = 30_000;
/**
 * How often a writing process checks whether another one asks, in ms: while claims wait, and while
 * none does. A longer interval lets a far process lose for longer.
 */
const looksEvery = { waited: 250, free: 1_000 };
/** Without waiting claims, fewer writes between two such reads starve no process. */
const fewWrites = 4;
/** How long a request counts: in round trips of its process, and at least in ms. */
const lasting = { trips: 5, least: 500 };
/**
 * A process asks again after this part of that time. More often, the requests of near processes
 * would keep a far one from writing its own.
 */
const asksAgain = 1 / 2;
/** The average gap between two writes, in round trips of the process that asks. */
const gap = 1.5;
/** The longest round trip that counts, in ms. A larger one slows the others down more. */
const longestTrip = 500;
/**
 * For how long a store that expires texts keeps a request, in ms. Losing an old one does no harm.
 */
const kept = 60_000;

/**
 * Lets a far process write a key that near ones write all the time. It loses each compare-and-set,
 * as another write falls into its round trip. So it writes that round trip into a separate text,
 * and the others, which read that text at times, leave gaps between their writes.
 */
export class Pacing {
  readonly #key: string;
  readonly #calls: StoreCalls;
  readonly #runtime: Runtime;
  readonly #distances: boolean;
  /** The version of the requests' text, as last read or written by this process. */
  #version: string | undefined = undefined;
  #own: string | undefined = undefined;
  #reading = false;
  #readAt = -Infinity;
  #trip = 0;
  #until = -Infinity;
  #writes = 0;
  #wroteAt = -Infinity;
  #jitter = 1;
  #lostAt = -Infinity;
  #askedAt = -Infinity;

  /** `distances`: processes may differ in their distance from the store. */
  constructor(name: string, calls: StoreCalls, runtime: Runtime, distances: boolean) {
    this.#key = prefix + name;
    this.#calls = calls;
    this.#runtime = runtime;
    this.#distances = distances;
  }

  /** This process has lost `times` compare-and-sets in a row. Its round trip takes `trip` ms. */
  lost(times: number, trip: number): void {
    if (!this.#distances || times < losses || trip < near) return;
    this.#lostAt = this.#runtime.clock.now();
    this.#ask(trip);
  }

  /** A renewal or a release begins. It asks before it loses, if others were faster lately. */
  begins(trip: number): void {
    if (this.#lostAt === -Infinity || this.#runtime.clock.now() - this.#lostAt >= remembered) return;
    this.#ask(trip);
  }

  /** This process wrote the key. `waited`: claims wait for it. */
  wrote(waited: boolean): void {
    if (!this.#distances) return;
    const now = this.#runtime.clock.now();
    this.#wroteAt = now;
    this.#jitter = 0.5 + this.#runtime.random();
    this.#writes += 1;
    if (now - this.#readAt < (waited ? looksEvery.waited : looksEvery.free)) return;
    if (waited || this.#writes >= fewWrites) void this.#read().catch(() => {});
  }

  /** Whether another process asked for gaps, possibly long ago. */
  get asked(): boolean {
    return this.#until > -Infinity;
  }

  /** Ms until this process, one of `writers`, should check again whether it may write. */
  pause(writers: number): number {
    const now = this.#runtime.clock.now();
    if (now >= this.#until) return 0;
    // The request may last longer.
    if (now - this.#readAt >= looksEvery.waited) void this.#read().catch(() => {});
    const left = this.#wroteAt + this.#jitter * gap * this.#trip * writers - now;
    return Math.max(0, Math.min(looksEvery.waited, left));
  }

  async #read(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    this.#writes = 0;
    try {
      const { version, text } = await this.#calls.bounded('read', this.#calls.read(this.#key));
      this.#readAt = this.#runtime.clock.now();
      const isNew = version !== this.#version;
      this.#version = version;
      if (version === undefined || !isNew || version === this.#own) return;
      // A nearer process does not take the gaps of a farther one.
      const least = this.#readAt < this.#until ? this.#trip : 0;
      this.#trip = Math.max(least, Math.min(longestTrip, Number(text) || 0));
      this.#until = this.#readAt + lastsFor(this.#trip);
    } finally {
      this.#reading = false;
    }
  }

  #ask(trip: number): void {
    const now = this.#runtime.clock.now();
    if (now - this.#askedAt < asksAgain * lastsFor(trip)) return;
    this.#askedAt = now;
    void this.#write(Math.min(longestTrip, Math.ceil(trip))).catch(() => {});
  }

  async #write(trip: number): Promise<void> {
    for (let tries = 0; tries < 2; tries += 1) {
      // The gaps for another process as far away are enough.
      if (this.#runtime.clock.now() < this.#until && this.#trip >= trip) return;
      const next = { version: this.#calls.nextVersion(), record: String(trip), keepFor: kept };
      const version = await this.#calls.bounded('replace', this.#calls.replace(this.#key, this.#version, next));
      if (version !== undefined) {
        this.#version = version;
        this.#own = version;
        return;
      }
      await this.#read();
    }
  }
}

function lastsFor(trip: number): number {
  return Math.max(lasting.least, lasting.trips * trip);
}
