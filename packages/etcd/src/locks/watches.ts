import type { Claim } from '@locks/core';
import { isLockError } from '@locks/core/adapter';
import type { Deadline, Listen, Listener, Runtime } from '@locks/core/adapter';
import { lockErrorOf } from '../connection/errors.ts';
import { IdleEnd } from '../connection/idle-end.ts';
import type { Stream } from '../connection/member.ts';
import type { Members } from '../connection/members.ts';
import { watch as watchMethod } from '../wire/calls.ts';
import type { KeyRange, WatchAnswer, WatchRequest } from '../wire/messages.ts';
import { readValue } from './claim-value.ts';
import type { ClaimValue } from './claim-value.ts';
import type { Keys } from './keys.ts';
import type { Entry } from './queue.ts';

/** What one waiting claim watches. */
interface Watch {
  readonly id: number;
  readonly owner: string;
  /** The claims before it, by their keys in etcd. */
  readonly ahead: ReadonlySet<string>;
  /** The only claim before it holds the key exclusively, so it is next. */
  isNext: boolean;
}

/** The open stream of watches of this process. */
interface Open {
  readonly stream: Stream<WatchRequest, WatchAnswer>;
  readonly heard: (owner: string) => void;
  readonly idle: IdleEnd;
  readonly byId: Map<number, Watch>;
  /** Called when the server has created the watch. */
  readonly made: Map<number, () => void>;
}

const change = 0;

/** Notifies the claims of this process that claims before them have ended, over one stream. */
export class Watches {
  readonly #members: Members;
  readonly #keys: Keys;
  readonly #deadline: Deadline;
  readonly #runtime: Runtime;
  readonly #byOwner = new Map<string, Watch>();
  /** Claims that are first: no other can come before them. */
  readonly #first = new Set<string>();
  #open: Open | undefined = undefined;
  #lastId = 0;

  constructor(members: Members, keys: Keys, deadline: Deadline, runtime: Runtime) {
    this.#members = members;
    this.#keys = keys;
    this.#deadline = deadline;
    this.#runtime = runtime;
  }

  /** Opens the stream, for `createQueue`. */
  readonly listen: Listen = async (heard, lost, signal) => {
    const member = await this.#members.use();
    const open: Open = {
      stream: member.open(watchMethod, this.#members.token),
      heard,
      idle: new IdleEnd(this.#runtime, () => fail(new Error('no claim waits'))),
      byId: new Map(),
      made: new Map(),
    };
    const { stream } = open;
    const fail = (error: unknown): void => {
      this.#drop(open);
      lost(isLockError(error) ? error : lockErrorOf(error, 'a watch', member.name));
    };
    stream.on('data', (answer: WatchAnswer) => this.#hear(open, answer, fail));
    stream.on('error', fail);
    stream.on('end', () => fail(new Error('the member ended the stream')));
    const close = (): void => {
      this.#drop(open);
      stream.cancel();
    };
    signal.addEventListener('abort', close);
    const listener: Listener = { probe: () => this.#probe(open), close };
    await this.#probe(open);
    if (!signal.aborted) {
      this.#open = open;
      open.idle.begin();
    }
    return listener;
  };

  /** Notifies `claim` of the next change of one of `ahead`, as read at `revision`. */
  watch({ key, owner }: Claim, ahead: readonly Entry[], revision: bigint): void {
    const open = this.#open;
    this.#first.delete(owner);
    if (open === undefined) return;
    const names = new Set(ahead.map(({ name }) => name.toString()));
    const before = this.#byOwner.get(owner);
    if (before !== undefined) {
      if (before.ahead.size === names.size && [...names].every((name) => before.ahead.has(name))) return;
      this.#end(open, before);
    }
    const [only] = ahead;
    const isNext = only !== undefined && ahead.length === 1 && holdsAlone(only);
    const watch: Watch = { id: ++this.#lastId, owner, ahead: names, isNext };
    const range: KeyRange = only !== undefined && ahead.length === 1 ? { key: only.name } : this.#keys.queue(key);
    this.#byOwner.set(owner, watch);
    open.idle.stop();
    open.byId.set(watch.id, watch);
    open.stream.write({ createRequest: { ...range, startRevision: `${revision + 1n}`, watchId: watch.id } });
  }

  /** Whether `owner` is first in the queue, while it has its position. */
  isFirst(owner: string): boolean {
    return this.#first.has(owner);
  }

  /** The claim has left the queue. */
  forget(owner: string): void {
    this.#first.delete(owner);
    const watch = this.#byOwner.get(owner);
    if (watch !== undefined && this.#open !== undefined) this.#end(this.#open, watch);
  }

  #hear(
    open: Open,
    { watchId, created, canceled, compactRevision, cancelReason, events }: WatchAnswer,
    fail: (error: unknown) => void,
  ): void {
    const id = Number(watchId);
    open.made.get(id)?.();
    const watch = open.byId.get(id);
    if (watch === undefined) {
      if (created && canceled) this.#refused(cancelReason, fail);
      return;
    }
    const compacted = compactRevision !== '0';
    if (canceled && !compacted) this.#refused(cancelReason, fail);
    else if (compacted || events.some((event) => this.#frees(watch, event))) {
      this.#end(open, watch);
      open.heard(watch.owner);
    }
  }

  /** Whether a change of a claim may free the next one: it has ended, or shares what it holds. */
  #frees(watch: Watch, { type, kv }: WatchAnswer['events'][number]): boolean {
    if (!watch.ahead.has(kv.key.toString())) return false;
    if (type !== change) {
      if (watch.isNext) this.#first.add(watch.owner);
      return true;
    }
    const value = readValue(kv.value);
    // Another program has written it: the next read reports that.
    if (value === undefined) return true;
    if (watch.ahead.size === 1 && holdsAlone(value)) watch.isNext = true;
    return value.ttl !== undefined && value.mode === 'shared';
  }

  /**
   * The token of the stream has expired, or the user has no right to read. The next call reports
   * which.
   */
  #refused(reason: string, fail: (error: unknown) => void): void {
    this.#members.forgetToken();
    fail(new Error(reason === '' ? 'the member ended a watch' : reason));
  }

  #end(open: Open, watch: Watch): void {
    if (this.#byOwner.get(watch.owner) === watch) this.#byOwner.delete(watch.owner);
    if (!open.byId.delete(watch.id)) return;
    open.stream.write({ cancelRequest: { watchId: watch.id } });
    if (open.byId.size === 0) open.idle.begin();
  }

  /** Resolves when the server has created a watch, so the stream works. */
  async #probe(open: Open): Promise<void> {
    const watchId = ++this.#lastId;
    const made = new Promise<void>((resolve) => open.made.set(watchId, resolve));
    open.stream.write({ createRequest: { key: this.#keys.quiet, startRevision: '0', watchId } });
    try {
      await this.#deadline.race(made, 'a watch');
    } finally {
      open.made.delete(watchId);
    }
    open.stream.write({ cancelRequest: { watchId } });
  }

  #drop(open: Open): void {
    open.idle.stop();
    if (this.#open !== open) return;
    this.#open = undefined;
    this.#byOwner.clear();
  }
}

function holdsAlone({ mode, ttl }: ClaimValue): boolean {
  return ttl !== undefined && mode === 'exclusive';
}
