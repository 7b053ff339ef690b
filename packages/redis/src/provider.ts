import { createDeadline, createQueue, largestBatch, providerClosed } from '@locks/core/adapter';
import type { Deadline, Queue, Runtime } from '@locks/core/adapter';
import type { Busy, Claim, Grant, KeyState, LockProvider, RegisterChange, Renewal, Traits } from '@locks/core';
import { createTerms } from './locks/call-terms.ts';
import { keyNames, notShared } from './locks/keys.ts';
import type { KeyNames } from './locks/keys.ts';
import { listKeys } from './locks/list-keys.ts';
import { listenOn } from './locks/listen.ts';
import { LockScripts } from './locks/lock-scripts.ts';
import type { ReadRedisOptions } from './options/options.ts';
import { createRelease } from './locks/releases.ts';
import type { Release } from './locks/releases.ts';
import { UnsettledAttempts } from './locks/unsettled-attempts.ts';
import { noAnswerReason, outageOf } from './wire/replies.ts';
import { copyOptions } from './wire/client.ts';
import type { RedisCopy } from './wire/client.ts';
import { clusterWrites } from './wire/cluster-writes.ts';
import { replicatedWrites } from './wire/replicated-writes.ts';
import type { ClosableSender } from './wire/replicated-writes.ts';
import { silentConnections } from './wire/silent-connections.ts';
import { serversOf } from './wire/servers-of.ts';
import { isCluster } from './wire/servers.ts';
import type { AnyRedisClient, Servers } from './wire/servers.ts';

/** Locks in Redis: the contract, over scripts, a queue and a wake channel. */
export class RedisProvider implements LockProvider {
  readonly name = 'redis';
  readonly traits: Traits;
  readonly #client: AnyRedisClient;
  readonly #servers: Servers;
  readonly #names: KeyNames;
  /** Other libraries take locks under the same names. */
  readonly #besideOthers: boolean;
  readonly #deadline: Deadline;
  readonly #scripts: LockScripts;
  readonly #release: Release;
  readonly #queue: Queue;
  readonly #writer: ClosableSender | undefined;
  readonly #closeClient: (() => void) | undefined;
  /** No connection of the caller's client is ended. */
  readonly #renewing: ((claim: Claim) => void) | undefined;
  #closed = false;

  /** `closeClient` closes an own client. */
  constructor(client: AnyRedisClient, options: ReadRedisOptions, runtime: Runtime, closeClient?: () => void) {
    const { prefix, channelPrefix, timeout, waiterTtl } = options;
    this.traits = {
      scope: 'network',
      expiry: 'ttl',
      fencing: 'clock-bounded',
      fair: true,
      shared: true,
      wake: true,
    };
    this.#client = client;
    this.#servers = serversOf(client);
    this.#besideOthers = options.besideOthers;
    this.#names = keyNames(prefix, client.options?.keyPrefix ?? '');
    this.#deadline = createDeadline(runtime, timeout, 'Redis', () => noAnswerReason(client));
    // Scripts of other services read in the name how long the positions of this process last, and
    // whether a message without a subscriber means that it is gone: see lua/algorithm.lua.
    const process = `${waiterTtl}-${this.#servers.clustered ? 'c.' : ''}${runtime.uniqueId()}`;
    this.#writer = writerOf(client, options.minReplicas, this.#deadline, runtime);
    // A script cannot have keys of several slots.
    const together = !this.#servers.clustered;
    // The client of one server sends in the order of the calls.
    const unsettled = this.#servers.clustered ? new UnsettledAttempts() : undefined;
    const terms = createTerms(options, this.#names, this.#servers, process, runtime.clock);
    const scripts = new LockScripts({ client, writer: this.#writer, together, unsettled }, terms, this.#deadline);
    this.#scripts = scripts;
    const own = { client, servers: this.#servers, scripts, unsettled, deadline: this.#deadline, runtime };
    this.#release = createRelease(own);
    this.#queue = createQueue({
      runtime,
      deadline: this.#deadline,
      waiterTtl,
      attempt: (attempt) => scripts.acquire(attempt),
      // The client of one server sends in the order of the calls. That of a Cluster does, except
      // while a slot moves: then a limited number may be overtaken, and none waits for thousands
      // before it.
      together: together ? Infinity : largestBatch,
      listen: listenOn(this.#servers, channelPrefix + process, waiterTtl, this.#deadline),
    });
    this.#closeClient = closeClient;
    this.#renewing = closeClient && silentConnections(client, this.#names, runtime, timeout);
  }

  tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    const refusal = this.#besideOthers ? notShared(claim.key) : undefined;
    return refusal === undefined ? this.#queue.tryAcquire(claim, wake) : Promise.reject(refusal);
  }

  renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    this.#renewing?.(claim);
    return this.#scripts.renew(claim, token);
  }

  release(claim: Claim): Promise<boolean> {
    const waited = this.#queue.leave(claim);
    const freed = this.#release(claim, this.#queue.waitsFor(claim.key));
    // An assignment that the claim was not notified of was not its hold.
    return waited ? freed.then(() => false) : freed;
  }

  inspect(key: string): Promise<KeyState> {
    return this.#scripts.inspect(key);
  }

  time(): Promise<number> {
    return this.#scripts.time();
  }

  register(name: string, change?: RegisterChange): Promise<string | undefined> {
    return this.#scripts.register(name, change);
  }

  list(prefix: string): AsyncIterable<string> {
    return listKeys(this.#client, this.#servers, this.#names, this.#scripts, this.#deadline, prefix);
  }

  /** Why calls wait: the client keeps them until it has a connection. */
  outage(): unknown {
    return outageOf(this.#client);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#scripts.close();
    this.#queue.close(providerClosed(this.name));
    this.#writer?.close();
    this.#closeClient?.();
  }
}

function writerOf(
  client: AnyRedisClient,
  replicas: number | undefined,
  deadline: Deadline,
  runtime: Runtime,
): ClosableSender | undefined {
  if (replicas === undefined) return undefined;
  if (isCluster(client)) return clusterWrites({ client, replicas, deadline, runtime });
  const open = (): RedisCopy => client.duplicate(copyOptions) as RedisCopy;
  return replicatedWrites({ replicas, open, deadline, runtime });
}
