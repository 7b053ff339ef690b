import type { Runtime } from '../../time/runtime.ts';
import type { StoreCalls } from './store-calls.ts';

const prefix = 'pace:';

/**
 * A process asks after so many lost compare-and-sets in a row. With fewer, it asks where others
 * hardly write.
 */
const losses = 2;
/**
 * With a shorter round trip, in ms, a process does not ask: it tries often, and gaps slow all
 * others down.
 */
const near = 5;
/** A process that has lost asks before each renewal and release, for so long, in ms. */
const remembered = 30_000;
/**
 * A process that writes reads whether another one asks, so often, in ms: while claims wait, and
 * while none does. A longer time lets a far process lose for longer.
 */
const looksEvery = { waited: 250, free: 1_000 };
/** Without claims that wait, fewer writes between two such reads starve no process. */
const fewWrites = 4;
/** A request counts for so many round trips of its process, and for so many ms at least. */
const lasting = { trips: 5, least: 500 };
/**
 * A process asks again after this part of that time. More often, the requests of near processes
 * would keep a far one from writing its own.
 */
const asksAgain = 1 / 2;
/** The gap between two writes, in round trips of the process that asks, on average. */
const gap = 1.5;
/** A longer round trip counts as this one, in ms. A larger one slows the others down more. */
const longestTrip = 500;
/** Nothing is lost with an old request. A store that expires texts keeps it for so many ms. */
const kept = 60_000;

/**
 * Lets a far process write a key that near ones write all the time. It loses each compare-and-set,
 * as another write falls into its round trip. So it writes that round trip into a text of its own,
 * and the others, which read that text at times, leave gaps between their writes.
 */
export class Pacing {
  readonly #key: string;
  readonly #calls: StoreCalls;
  readonly #runtime: Runtime;
  readonly #distances: boolean;
  /** The text of requests, as far as this process has read or written it. */
  #version: string | undefined = undefined;
  #own: string | undefined = undefined;
  #reading = false;
  #readAt = -Infinity;
  /** What another process asked for. */
  #trip = 0;
  #until = -Infinity;
  #writes = 0;
  #wroteAt = -Infinity;
  #jitter = 1;
  #lostAt = -Infinity;
  #askedAt = -Infinity;

  /** `distances`: processes may be farther from the store than others. */
  constructor(name: string, calls: StoreCalls, runtime: Runtime, distances: boolean) {
    this.#key = prefix + name;
    this.#calls = calls;
    this.#runtime = runtime;
    this.#distances = distances;
  }

  /** This process has lost so many compare-and-sets in a row. A round trip takes it `trip` ms. */
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

  /** This process has written the key. `waited`: claims wait for it. */
  wrote(waited: boolean): void {
    if (!this.#distances) return;
    const now = this.#runtime.clock.now();
    this.#wroteAt = now;
    this.#jitter = 0.5 + this.#runtime.random();
    this.#writes += 1;
    if (now - this.#readAt < (waited ? looksEvery.waited : looksEvery.free)) return;
    if (waited || this.#writes >= fewWrites) void this.#read().catch(() => {});
  }

  /** Whether another process asked for gaps, which may be over. */
  get asked(): boolean {
    return this.#until > -Infinity;
  }

  /** In how many ms to ask again whether this process, one of so many `writers`, may write. */
  pause(writers: number): number {
    const now = this.#runtime.clock.now();
    if (now >= this.#until) return 0;
    // The request may last for longer.
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
      // One that is nearer does not take the gaps of a farther one.
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
      // The gaps for another process that is as far are enough.
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
