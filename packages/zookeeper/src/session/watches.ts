import type { Answer } from '../wire/answer.ts';
import type { WatchEvent } from '../wire/records.ts';
import type { Request } from '../wire/request.ts';
import { getData } from '../wire/requests.ts';
import { removeWatches, setWatches } from '../wire/session-requests.ts';

/** Sends over the present connection. Rejects when there is none. */
export type Send = <T>(request: Request<T>) => Promise<Answer<T>>;

/** The result of a watch; see `Session.watch`. */
export type Watching = 'watching' | 'missing' | 'refused';

/** The one watch of a path at the server, and its listeners. */
interface Entry {
  readonly listeners: Set<() => void>;
  /** Until the server has answered. */
  setting: Promise<Watching> | undefined;
  /** An event came before that answer. */
  fired: boolean;
}

/** In bytes. With its header, a request of more than 128 KiB can be too long for a server. */
const chunkBytes = 120 * 1_024;

/** The watches of one session: one at the server for each path, over all its connections. */
export class Watches {
  readonly #send: Send;
  readonly #limit: number;
  readonly #entries = new Map<string, Entry>();
  /** The listeners that the queued microtask will call. */
  readonly #due = new Map<string, Set<() => void>>();

  /** At most `limit` paths. */
  constructor(send: Send, limit: number = 10_000) {
    this.#send = send;
    this.#limit = limit;
  }

  /** How many paths are watched. */
  get size(): number {
    return this.#entries.size;
  }

  /** See `Session.watch`. The caller checks that there is a connection. */
  watch(path: string, fired: () => void): Promise<Watching> {
    let entry = this.#entries.get(path);
    if (entry === undefined) {
      if (this.#entries.size >= this.#limit) return Promise.resolve('refused');
      entry = { listeners: new Set(), setting: undefined, fired: false };
      this.#entries.set(path, entry);
      entry.setting = this.#set(path, entry);
    }
    entry.listeners.add(fired);
    return entry.setting ?? Promise.resolve('watching');
  }

  /** See `Session.unwatch`. */
  unwatch(path: string, fired: () => void): void {
    this.#due.get(path)?.delete(fired);
    const entry = this.#entries.get(path);
    if (entry === undefined || !entry.listeners.delete(fired) || entry.listeners.size > 0) return;
    // The code that waits for the answer will find no listeners.
    if (entry.setting !== undefined) return;
    this.#entries.delete(path);
    this.#forget(path);
  }

  /** The server reported an event of `path`, which ends the watch at the server. */
  fire({ path }: WatchEvent): void {
    const entry = this.#entries.get(path);
    if (entry === undefined) return;
    if (entry.setting !== undefined) entry.fired = true;
    else this.#tell(path, entry);
  }

  /** The session is over: all listeners are called. */
  fireAll(): void {
    for (const [path, entry] of this.#entries) this.#tell(path, entry);
  }

  /**
   * Sets all watches again over a new connection, before other requests are sent. Changes since
   * `lastZxid` fire immediately. Rejects if the server does not accept the watches.
   */
  async restore(send: Send, lastZxid: bigint): Promise<void> {
    const answers: Promise<Answer<void>>[] = [];
    for (const paths of this.#chunks()) answers.push(send(setWatches(lastZxid, paths)));
    for (const answer of await Promise.all(answers)) {
      if (!answer.ok)
        throw new Error(`ZooKeeper did not take the watches of the session again: ${answer.error} (${answer.code}).`);
    }
  }

  *#chunks(): Generator<readonly string[]> {
    let chunk: string[] = [];
    let bytes = 0;
    for (const [path, entry] of this.#entries) {
      if (entry.setting !== undefined) continue;
      const size = 4 + Buffer.byteLength(path);
      if (bytes + size > chunkBytes && chunk.length > 0) {
        yield chunk;
        chunk = [];
        bytes = 0;
      }
      chunk.push(path);
      bytes += size;
    }
    if (chunk.length > 0) yield chunk;
  }

  async #set(path: string, entry: Entry): Promise<Watching> {
    let answer: Answer<unknown>;
    try {
      // Not `exists`: that leaves a watch on a name which never returns.
      answer = await this.#send(getData(path, true));
    } catch (error) {
      this.#drop(path, entry);
      throw error;
    }
    entry.setting = undefined;
    if (!answer.ok) {
      this.#drop(path, entry);
      return answer.error === 'NO_NODE' ? 'missing' : 'refused';
    }
    if (this.#entries.get(path) !== entry) return 'watching';
    if (entry.fired || entry.listeners.size === 0) {
      // The event may have been that of an earlier watch, and then this one is still set.
      this.#forget(path);
      this.#tell(path, entry);
    }
    return 'watching';
  }

  #drop(path: string, entry: Entry): void {
    if (this.#entries.get(path) === entry) this.#entries.delete(path);
  }

  /** A later watch of the same path is executed after this, so it is not removed. */
  #forget(path: string): void {
    // Without a connection, or if it ends before the answer, the server has dropped it already.
    this.#send(removeWatches(path)).catch(() => {});
  }

  #tell(path: string, entry: Entry): void {
    this.#drop(path, entry);
    if (entry.listeners.size === 0) return;
    if (this.#due.size === 0) queueMicrotask(() => this.#call());
    const due = this.#due.get(path);
    if (due === undefined) this.#due.set(path, entry.listeners);
    else for (const fired of entry.listeners) due.add(fired);
  }

  #call(): void {
    for (const [path, listeners] of this.#due) {
      // A listener may remove others.
      for (const fired of listeners) fired();
      this.#due.delete(path);
    }
  }
}
