import { createDeadline, createLine } from '@locks/core/adapter';
import type { Deadline, Line, Runtime } from '@locks/core/adapter';
import type { Busy, Claim, Grant, KeyState, LockProvider, Renewal, Traits } from '@locks/core';
import type { RedisClient } from './client.ts';
import { keyNames } from './keys.ts';
import type { KeyNames } from './keys.ts';
import { listKeys } from './list-keys.ts';
import { listenOn } from './listen.ts';
import { LockScripts, closedError } from './lock-scripts.ts';
import type { ReadRedisOptions } from './options.ts';
import { Releases } from './releases.ts';
import { connectionTrouble } from './replies.ts';

/** Locks in Redis: the contract, over scripts, a line and a wake channel. */
export class RedisProvider implements LockProvider {
  readonly name = 'redis';
  readonly traits: Traits;
  readonly #client: RedisClient;
  readonly #names: KeyNames;
  readonly #deadline: Deadline;
  readonly #scripts: LockScripts;
  readonly #releases: Releases;
  readonly #line: Line;
  readonly #closeClient: (() => void) | undefined;
  #closed = false;

  /** `closeClient` ends a client that this package made. */
  constructor(client: RedisClient, options: ReadRedisOptions, runtime: Runtime, closeClient?: () => void) {
    const { prefix, channelPrefix, fair, timeout, waiterTtl } = options;
    this.traits = { scope: 'network', expiry: 'ttl', fencing: 'clock-bounded', fair, shared: true, wake: true };
    this.#client = client;
    this.#names = keyNames(prefix, client.options?.keyPrefix ?? '');
    this.#deadline = createDeadline(runtime, timeout, 'Redis', () => connectionTrouble(client));
    // Scripts of other services read in the name how long the places of this process last.
    const process = `${waiterTtl}-${runtime.uniqueId()}`;
    const scripts = new LockScripts(client, options, this.#names, this.#deadline, process);
    this.#scripts = scripts;
    this.#releases = new Releases(client, scripts, this.#deadline, runtime);
    this.#line = createLine({
      runtime,
      deadline: this.#deadline,
      waiterTtl,
      attempt: (claim, others, within) => scripts.acquire(claim, others, within),
      listen: listenOn(client, channelPrefix + process, this.#deadline),
    });
    this.#closeClient = closeClient;
  }

  tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    return this.#line.tryAcquire(claim, wake);
  }

  renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    return this.#scripts.renew(claim, token);
  }

  release(claim: Claim): Promise<boolean> {
    this.#line.leave(claim.owner);
    return this.#releases.release(claim);
  }

  inspect(key: string): Promise<KeyState> {
    return this.#scripts.inspect(key);
  }

  list(prefix: string): AsyncIterable<string> {
    return listKeys(this.#client, this.#names, this.#scripts, this.#deadline, prefix);
  }

  /** Why calls wait: the client keeps them until it has a connection. */
  outage(): unknown {
    return connectionTrouble(this.#client);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#scripts.close();
    this.#line.close(closedError());
    this.#closeClient?.();
  }
}
