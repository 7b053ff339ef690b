import { LockError, Places, createDeadline, isLockError, systemRuntime } from '@locks/core/adapter';
import type { Deadline, Place, Runtime } from '@locks/core/adapter';
import type { Busy, Claim, Grant, KeyState, LockProvider, Renewal, Traits } from '@locks/core';
import { neverSent, openConnection } from './client.ts';
import type { RedisClient } from './client.ts';
import { asPattern, keyNames } from './keys.ts';
import type { KeyNames } from './keys.ts';
import { readRedisOptions } from './options.ts';
import type { ReadRedisOptions, RedisOptions } from './options.ts';
import { connectionTrouble, releasedInDoubt, toAnswer, toInteger, toKeyState, toLockError } from './replies.ts';
import { callScript } from './script-call.ts';
import { scripts } from './scripts.ts';
import type { Script } from './scripts.ts';
import { WakeChannel } from './wake-channel.ts';

/**
 * Locks on one Redis (6.2 or newer) or Valkey, through an `ioredis` client that stays the caller's.
 * @throws `LOCK_MISCONFIGURED` for a wrong option.
 */
export function createRedisProvider(client: RedisClient, options: RedisOptions = {}): LockProvider {
  return new RedisProvider(client, readRedisOptions(client, options), systemRuntime);
}

/** The provider behind `createRedisProvider` and `fromConfig`; the latter's closes its client. */
export class RedisProvider implements LockProvider {
  readonly name = 'redis';
  readonly traits: Traits;
  readonly #client: RedisClient;
  readonly #runtime: Runtime;
  readonly #options: ReadRedisOptions;
  readonly #names: KeyNames;
  readonly #deadline: Deadline;
  readonly #places: Places;
  readonly #channel: WakeChannel;
  readonly #closeClient: (() => void) | undefined;
  #closed = false;
  /** Under way, for the releases that wait for a connection. */
  #ping: Promise<unknown> | undefined = undefined;

  constructor(client: RedisClient, options: ReadRedisOptions, runtime: Runtime, closeClient?: () => void) {
    const { fair, timeout, waiterTtl } = options;
    this.traits = { scope: 'network', expiry: 'ttl', fencing: 'clock-bounded', fair, shared: true, wake: true };
    this.#client = client;
    this.#runtime = runtime;
    this.#options = options;
    this.#names = keyNames(options.prefix, client.options?.keyPrefix ?? '');
    this.#deadline = createDeadline(runtime, timeout, 'Redis', () => connectionTrouble(client));
    this.#places = new Places(waiterTtl / 3);
    this.#channel = new WakeChannel(client, options.channelPrefix, this.#places, this.#deadline, runtime, waiterTtl);
    this.#closeClient = closeClient;
  }

  async tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    if (wake === undefined) return await this.#attempt(claim);
    const now = this.#runtime.clock.now();
    const { subscribed } = this.#channel;
    // A process whose locks are always free registers nobody, and needs no second connection.
    const answer = subscribed || this.#places.size > 0 ? undefined : await this.#attempt(claim);
    if (answer?.granted) return answer;
    const place = this.#places.take(claim.key, claim.owner, this.#waiter(claim), wake);
    const quietFor = this.#places.quietFor(place, now);
    if (quietFor !== undefined) return { granted: false, retryAfter: quietFor };
    const end = now + this.#options.timeout;
    return await this.#settled(
      place,
      subscribed ? this.#attempt(claim, place) : this.#openLine(claim, place, end, answer),
    );
  }

  async renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    const { owner, ttl } = claim;
    const args = [owner, ttl, token === undefined ? '' : `${token}`, this.#retention(ttl), this.#options.channelPrefix];
    const reply = await this.#run(scripts.renew, claim, args, 'a renewal');
    return toInteger(reply, 'a renewal') === 1 ? {} : false;
  }

  async release(claim: Claim): Promise<boolean> {
    this.#places.leave(claim.owner);
    this.#checkOpen();
    const args = [claim.owner, this.#waiter(claim), this.#options.channelPrefix];
    let connection = openConnection(this.#client);
    let left: number | undefined;
    if (connection === undefined) {
      const end = this.#runtime.clock.now() + this.#options.timeout;
      connection = await this.#reconnected();
      left = end - this.#runtime.clock.now();
    }
    const freed = toInteger(await this.#run(scripts.release, claim, args, 'a release', left), 'a release') === 1;
    // A client that sends again what a broken connection left unanswered hears the second answer only.
    if (!freed && (connection === undefined || connection !== this.#client.stream)) throw releasedInDoubt(claim);
    return freed;
  }

  async inspect(key: string): Promise<KeyState> {
    return toKeyState(key, await this.#run(scripts.inspect, { key }, [], 'an inspection'));
  }

  /** By SCAN: a key that is held or waited for throughout is listed, one that changes meanwhile perhaps. */
  async *list(prefix: string): AsyncIterable<string> {
    // A replica, which may be behind, refuses this; SCAN it would answer.
    await this.inspect(prefix);
    const clientPrefix = this.#client.options?.keyPrefix ?? '';
    const main = this.#names.main(prefix);
    const seen = new Set<string>();
    for (const pattern of [main, `{${clientPrefix}${main}`]) {
      let cursor: string | number = '0';
      do {
        this.#checkOpen();
        const match = `${asPattern(clientPrefix + pattern)}*`;
        const scan = this.#client.scan(cursor, 'MATCH', match, 'COUNT', 1_000);
        const [next, found] = await this.#deadline.race<[string, string[]]>(scan, 'a scan', undefined, explainScan);
        cursor = next;
        for (const name of found) {
          const own = name.slice(clientPrefix.length);
          const listed = pattern === main ? own : this.#names.mainOfQueue(own);
          if (listed === undefined || seen.has(listed)) continue;
          seen.add(listed);
          yield this.#names.keyOf(listed);
        }
      } while (cursor !== '0');
    }
  }

  /** Why calls wait: the client keeps them until it has a connection. */
  outage(): unknown {
    return connectionTrouble(this.#client);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#places.close();
    this.#channel.close(closedError());
    this.#closeClient?.();
  }

  /** Of a claim that was granted, or refused for good, nobody hears again. */
  async #settled(place: Place, answer: Promise<Grant | Busy>): Promise<Grant | Busy> {
    try {
      const { granted } = await answer;
      if (granted) this.#places.leave(place.owner);
      else this.#channel.probe();
    } catch (error) {
      const inDoubt = isLockError(error, 'LOCK_UNAVAILABLE') && (error.sent !== false || place.shownAt !== undefined);
      if (!inDoubt) this.#places.leave(place.owner);
    }
    return await answer;
  }

  /** A place in line that nobody can be told of is worth nothing: without a subscription the answer is `busy`, to poll by. */
  async #openLine(claim: Claim, place: Place, end: number, answered?: Busy): Promise<Grant | Busy> {
    const left = (): number => end - this.#runtime.clock.now();
    const answer = answered ?? (await this.#attempt(claim));
    if (answer.granted) return answer;
    const pause = this.#options.waiterTtl / 24;
    if (!(await this.#channel.open(Math.min(pause, left())))) return { ...answer, retryAfter: pause };
    return left() > 0 ? await this.#attempt(claim, place, left()) : answer;
  }

  /** One attempt; with a `place`, it is taken or kept. */
  async #attempt(claim: Claim, place?: Place, within?: number): Promise<Grant | Busy> {
    const { owner, ttl, mode, permits, floor } = claim;
    const { waiterTtl, channelPrefix, fair } = this.#options;
    const { clock } = this.#runtime;
    const sentAt = clock.now();
    const args = [owner, ttl, floor === undefined ? 0 : `${floor}`, this.#retention(ttl)];
    args.push(
      place?.waiter ?? this.#waiter(claim),
      place === undefined ? 0 : 1,
      waiterTtl,
      channelPrefix,
      fair ? 0 : 1,
    );
    if (mode === 'shared') args.push(permits ?? '*');
    const others = place === undefined ? [] : this.#places.shownWith(place, sentAt);
    for (const { waiter } of others) args.push(waiter);
    const script = mode === 'shared' ? scripts.acquireShared : scripts.acquire;
    const answer = toAnswer(await this.#run(script, claim, args, 'an attempt', within));
    this.#places.kept(others, sentAt, clock.now());
    if (!answer.granted && place !== undefined) this.#places.shown(place, answer.retryAfter, sentAt, clock.now());
    return answer;
  }

  /** The connection that a client without one sends the next command over, if it has one in half the time of a call. */
  async #reconnected(): Promise<unknown> {
    // One for all releases: a client that is cut off keeps each command.
    this.#ping ??= this.#client.ping().finally(() => (this.#ping = undefined));
    const answer = this.#deadline.race(this.#ping, 'a ping', this.#options.timeout / 2);
    // Without an answer too the release goes out: an attempt that the client still has to send must not be the last word.
    await answer.catch(() => {});
    return openConnection(this.#client);
  }

  #run(
    script: Script,
    claim: Claim | { readonly key: string },
    args: readonly (string | number)[],
    about: string,
    within?: number,
  ): Promise<unknown> {
    this.#checkOpen();
    const what = (): string => `${about} on ${JSON.stringify(claim.key)}`;
    const { status } = this.#client;
    const owned = 'owner' in claim ? claim : undefined;
    const explain = (error: unknown): LockError =>
      toLockError(error, { what: what(), claim: owned, lua: script.lua, unsent: neverSent(status, error) });
    const call = { script, keys: this.#names.all(claim.key), args, what, explain };
    return callScript(this.#client, this.#deadline, call, within);
  }

  #waiter({ owner, mode, permits }: Claim): string {
    return `${mode === 'exclusive' ? 'x' : `s${permits ?? '*'}`} ${this.#channel.process} ${owner}`;
  }

  /** A counter must outlive the hold it belongs to. */
  #retention(ttl: number): number {
    return Math.max(this.#options.tokenRetention, ttl * 2);
  }

  #checkOpen(): void {
    if (this.#closed) throw closedError();
  }
}

function explainScan(error: unknown): never {
  throw toLockError(error, { what: 'a scan' });
}

function closedError(): LockError {
  return new LockError('LOCK_CLOSED', 'The redis provider is closed.');
}
