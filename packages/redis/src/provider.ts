import { LockError, createDeadline, isLockError, systemRuntime } from '@locks/core/adapter';
import type { Deadline, Runtime } from '@locks/core/adapter';
import type { Busy, Claim, Grant, Holder, KeyState, LockProvider, Renewal, Traits } from '@locks/core';
import { openConnection } from './client.ts';
import type { RedisClient } from './client.ts';
import { asPattern, keyNames } from './keys.ts';
import type { KeyNames } from './keys.ts';
import { readRedisOptions } from './options.ts';
import type { ReadRedisOptions, RedisOptions } from './options.ts';
import { releasedInDoubt, toInteger, toLockError } from './replies.ts';
import { ScriptCall } from './script-call.ts';
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
  readonly #channel: WakeChannel;
  readonly #closeClient: (() => void) | undefined;
  #closed = false;

  constructor(client: RedisClient, options: ReadRedisOptions, runtime: Runtime, closeClient?: () => void) {
    const { fair, timeout, waiterTtl } = options;
    this.traits = { scope: 'network', expiry: 'ttl', fencing: 'clock-bounded', fair, shared: true, wake: true };
    this.#client = client;
    this.#runtime = runtime;
    this.#options = options;
    this.#names = keyNames(options.prefix, client.options?.keyPrefix ?? '');
    this.#deadline = createDeadline(runtime, timeout, 'Redis');
    this.#channel = new WakeChannel(client, options.channelPrefix, this.#deadline, runtime, waiterTtl / 3);
    this.#closeClient = closeClient;
  }

  async tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    if (wake === undefined) return await this.#attempt(claim, false);
    this.#channel.register(claim.owner, wake);
    try {
      const answer = await this.#attemptInLine(claim);
      if (answer.granted) this.#channel.unregister(claim.owner);
      else this.#channel.probe();
      return answer;
    } catch (error) {
      // Of a claim that is refused for good nobody hears again.
      if (!isLockError(error, 'LOCK_UNAVAILABLE')) this.#channel.unregister(claim.owner);
      throw error;
    }
  }

  async renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    const { owner, ttl } = claim;
    const args = [owner, ttl, token === undefined ? '' : `${token}`, this.#retention(ttl), this.#options.channelPrefix];
    const reply = await this.#run(scripts.renew, claim, args, 'a renewal');
    return toInteger(reply, 'a renewal') === 1 ? {} : false;
  }

  async release(claim: Claim): Promise<boolean> {
    this.#channel.unregister(claim.owner);
    const args = [claim.owner, this.#waiter(claim), this.#options.channelPrefix];
    const connection = openConnection(this.#client);
    const freed = toInteger(await this.#run(scripts.release, claim, args, 'a release'), 'a release') === 1;
    // A client that sends again what a broken connection left unanswered hears the second answer only.
    if (!freed && connection !== undefined && connection !== this.#client.stream) throw releasedInDoubt(claim);
    return freed;
  }

  async inspect(key: string): Promise<KeyState> {
    const reply = await this.#run(scripts.inspect, { key }, [], 'an inspection');
    if (!Array.isArray(reply)) throw new LockError('LOCK_UNAVAILABLE', 'Redis answered an inspection with no list.');
    const [waiters, ...parts] = reply as readonly unknown[];
    const holders: Holder[] = [];
    for (let index = 0; index + 3 < parts.length; index += 4) {
      const [owner, mode, token, left] = parts.slice(index, index + 4);
      const remaining = toInteger(left, 'an inspection');
      holders.push({
        owner: String(owner),
        mode: mode === 'shared' ? 'shared' : 'exclusive',
        ...(typeof token === 'string' && /^\d+$/.test(token) ? { token: BigInt(token) } : {}),
        ...(remaining >= 0 ? { remaining } : {}),
      });
    }
    return { key, holders, waiters: toInteger(waiters, 'an inspection') };
  }

  /** By SCAN: a key that is held or waited for throughout is listed, one that changes meanwhile perhaps. */
  async *list(prefix: string): AsyncIterable<string> {
    const clientPrefix = this.#client.options?.keyPrefix ?? '';
    const main = this.#names.main(prefix);
    const seen = new Set<string>();
    for (const pattern of [main, `{${clientPrefix}${main}`]) {
      let cursor: string | number = '0';
      do {
        this.#checkOpen();
        const match = `${asPattern(clientPrefix + pattern)}*`;
        const scan = this.#client.scan(cursor, 'MATCH', match, 'COUNT', 1_000);
        const [next, found]: [string, string[]] = await this.#call(scan, 'a scan');
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

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#channel.close(closedError());
    this.#closeClient?.();
  }

  /** A place in line that nobody can be told of is worth nothing: without a subscription the answer is `busy`, to poll by. */
  async #attemptInLine(claim: Claim): Promise<Grant | Busy> {
    const end = this.#runtime.clock.now() + this.#options.timeout;
    const left = (): number => end - this.#runtime.clock.now();
    if (this.#channel.subscribed) return await this.#attempt(claim, true);
    const busy = await this.#attempt(claim, false);
    // Only now: a process whose locks are always free needs no second connection.
    if (busy.granted) return busy;
    try {
      await this.#deadline.race(this.#channel.open(), 'the subscription of the wake channel', left());
    } catch (error) {
      if (!isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
      return { ...busy, retryAfter: this.#options.waiterTtl / 24 };
    }
    return left() > 0 ? await this.#attempt(claim, true, left()) : busy;
  }

  async #attempt(claim: Claim, inLine: boolean, within?: number): Promise<Grant | Busy> {
    const { owner, ttl, mode, permits, floor } = claim;
    const { waiterTtl, channelPrefix, fair } = this.#options;
    const args = [owner, ttl, floor === undefined ? 0 : `${floor}`, this.#retention(ttl), this.#waiter(claim)];
    args.push(inLine ? 1 : 0, waiterTtl, channelPrefix, fair ? 0 : 1);
    if (mode === 'shared') args.push(permits ?? '*');
    const script = mode === 'shared' ? scripts.acquireShared : scripts.acquire;
    const number = toInteger(await this.#run(script, claim, args, 'an attempt', within), 'an attempt');
    return number > 0 ? { granted: true, token: BigInt(number) } : { granted: false, retryAfter: -number };
  }

  async #run(
    script: Script,
    claim: Claim | { readonly key: string },
    args: (string | number)[],
    what: string,
    within?: number,
  ): Promise<unknown> {
    this.#checkOpen();
    const sent = new ScriptCall(this.#client, script, this.#names.all(claim.key), args);
    const about = `${what} on ${JSON.stringify(claim.key)}`;
    try {
      return await this.#call(sent.reply, about, 'owner' in claim ? claim : undefined, within);
    } finally {
      sent.giveUp();
    }
  }

  async #call<T>(sent: Promise<T>, what: string, claim?: Claim, within?: number): Promise<T> {
    try {
      return await this.#deadline.race(sent, what, within);
    } catch (error) {
      throw toLockError(error, what, claim);
    }
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

function closedError(): LockError {
  return new LockError('LOCK_CLOSED', 'The redis provider is closed.');
}
