import { createDeadline, createQueue, largestBatch, providerClosed } from '@locks/core/adapter';
import type { Host, LockError, Queue, Runtime } from '@locks/core/adapter';
import type { Busy, Claim, Grant, KeyState, LockProvider, RegisterChange, Renewal, Traits } from '@locks/core';
import type { GuardAccess } from './guard.ts';
import { isFull } from './connection/errors.ts';
import { Members } from './connection/members.ts';
import type { CallOptions } from './connection/members.ts';
import type { Secrets } from './connection/secrets.ts';
import { isAt } from './locks/algorithm.ts';
import { attempt } from './locks/attempts.ts';
import { restart } from './locks/holds.ts';
import { HoldReads } from './locks/hold-reads.ts';
import { KeyReads } from './locks/key-reads.ts';
import { keysBelow } from './locks/keys.ts';
import { Leases, secondsFor } from './locks/leases.ts';
import { OwnClaims } from './locks/own-claims.ts';
import type { Parts } from './locks/parts.ts';
import { PlaceLeases } from './locks/places.ts';
import { release } from './locks/release.ts';
import { queueIn } from './locks/queue.ts';
import { inspect, list, register } from './locks/state.ts';
import { TokenBase } from './locks/token-base.ts';
import { Watches } from './locks/watches.ts';
import { txn } from './wire/calls.ts';
import type { ReadEtcdOptions } from './options/options.ts';

/** Locks in etcd: a claim is a key under a lease. */
export class EtcdProvider implements LockProvider {
  readonly name = 'etcd';
  readonly traits: Traits = {
    scope: 'network',
    expiry: 'ttl',
    fencing: 'strict',
    fair: true,
    shared: true,
    wake: true,
  };
  readonly #parts: Parts;
  readonly #queue: Queue;
  #closed: LockError | undefined = undefined;

  constructor(hosts: readonly Host[], secrets: Secrets, options: ReadEtcdOptions, runtime: Runtime) {
    const { prefix, timeout, waiterTtl } = options;
    const { clock } = runtime;
    const deadline = createDeadline(runtime, timeout, 'etcd', () => this.#parts.members.failure);
    const members = new Members({ hosts, secrets, deadline, runtime });
    const keys = keysBelow(prefix);
    const leases = new Leases(members, runtime);
    const watches = new Watches(members, keys, deadline, runtime);
    this.#parts = {
      members,
      keys,
      leases,
      owners: new OwnClaims(clock),
      base: new TokenBase(clock),
      places: new PlaceLeases({ members, keys, leases, clock }, secondsFor(waiterTtl)),
      watches,
      clock,
      deadline,
      waiterTtl,
      reads: new KeyReads(members, keys),
      holdReads: new HoldReads(members, keys, deadline),
    };
    this.#queue = createQueue({
      runtime,
      deadline,
      waiterTtl,
      // Requests on one stream are answered in parallel. More lets more be overtaken. Fewer makes
      // thousands of simultaneous claims wait for each other.
      together: largestBatch,
      attempt: (asked) => attempt(this.#parts, asked),
      listen: watches.listen,
    });
  }

  /** Resolves when a member answers, and permits what locks need. */
  async connect(within: number): Promise<void> {
    const { members, keys, clock, base } = this.#parts;
    const end = clock.now() + within;
    await members.use(within);
    // It writes nothing: no key was written at revision 1.
    const request = {
      compare: [isAt(keys.quiet, 1n)],
      success: [{ requestPut: { key: keys.quiet, value: Buffer.alloc(0) } }],
      failure: [{ requestRange: { key: keys.base } }],
    };
    const left = (): CallOptions => ({ within: Math.max(1, end - clock.now()), repeats: true });
    const answer = await members.call(txn, request, 'a new connection', left()).catch((error: unknown) => {
      if (!isFull(error)) throw error;
      // The rights that operators need to inspect and free keys.
      const reads = { compare: [], success: request.failure, failure: [] };
      return members.call(txn, reads, 'a new connection', left());
    });
    base.in(queueIn(answer, keys));
  }

  access(): GuardAccess {
    return this.#parts;
  }

  tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    return this.#queue.tryAcquire(claim, wake);
  }

  async renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    this.#checkOpen();
    const until = this.#parts.clock.now() + this.#parts.deadline.timeout;
    const restarted = await restart(this.#parts, claim, { until, renews: true, token });
    return restarted === undefined ? false : { hold: restarted.hold };
  }

  async release(claim: Claim): Promise<boolean> {
    this.#checkOpen();
    this.#queue.leave(claim);
    this.#parts.watches.forget(claim.owner);
    return await release(this.#parts, claim, this.#parts.deadline.timeout);
  }

  async inspect(key: string): Promise<KeyState> {
    this.#checkOpen();
    return await inspect(this.#parts, key);
  }

  async *list(prefix: string): AsyncIterable<string> {
    this.#checkOpen();
    yield* list(this.#parts, prefix);
  }

  async register(name: string, change?: RegisterChange): Promise<string | undefined> {
    this.#checkOpen();
    return await register(this.#parts, name, change);
  }

  /** Why calls fail at present. */
  outage(): unknown {
    return this.#parts.members.failure;
  }

  async close(): Promise<void> {
    if (this.#closed !== undefined) return;
    this.#closed = providerClosed(this.name);
    this.#queue.close(this.#closed);
    this.#parts.places.close();
    await this.#parts.leases.close();
    this.#parts.members.close(this.#closed);
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw this.#closed;
  }
}
