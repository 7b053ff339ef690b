import { LockError, isLockError } from '@locks/core/adapter';
import type { Deadline, Runtime } from '@locks/core/adapter';
import { copyOptions } from './client.ts';
import type { RedisClusterClient, RedisCopy, RedisNode, ScriptClient } from './client.ts';
import { keySlot } from './key-slot.ts';
import { ReplicatedWrites, TooFewReplicas } from './replicated-writes.ts';
import type { ScriptSender } from './script-call.ts';
import { noNode } from './servers.ts';
import { unpipelined } from './unpipelined.ts';

export interface ClusterWritesParts {
  readonly client: RedisClusterClient;
  /** How many replicas of a master must have a write. */
  readonly replicas: number;
  readonly deadline: Deadline;
  readonly runtime: Runtime;
}

/**
 * Renewals that are answered once so many replicas of the key's master have them: each master has a
 * connection and a `WAIT` of its own.
 */
export class ClusterWrites implements ScriptSender {
  /** It opens its connections when calls need them. */
  readonly status = 'ready';
  readonly #parts: ClusterWritesParts;
  readonly #writers = new Map<string, ReplicatedWrites>();
  #table: unknown = undefined;

  constructor(parts: ClusterWritesParts) {
    this.#parts = parts;
  }

  evalsha(...args: Parameters<ScriptClient['evalsha']>): Promise<unknown> {
    return this.#call('evalsha', args);
  }

  eval(...args: Parameters<ScriptClient['eval']>): Promise<unknown> {
    return this.#call('eval', args);
  }

  close(): void {
    for (const writer of this.#writers.values()) writer.close();
  }

  async #call(name: 'evalsha' | 'eval', args: Parameters<ScriptClient['eval']>): Promise<unknown> {
    try {
      return await this.#writerOf(args[2])[name](...args);
    } catch (error) {
      if (!mayLeadElsewhere(error)) throw error;
    }
    // The client finds the master, and renews its table of slots. A renewal may be sent twice.
    await unpipelined(this.#parts.client)[name](...args);
    try {
      return await this.#writerOf(args[2])[name](...args);
    } catch (error) {
      throw isMoved(error) ? stillMoving(error) : error;
    }
  }

  /** By the first key of the call: all its keys are in one slot. */
  #writerOf(key: string | number | undefined): ReplicatedWrites {
    const { client, replicas, deadline, runtime } = this.#parts;
    this.#leaveFormer();
    const keyPrefix = client.options?.keyPrefix ?? '';
    const [master] = client.slots[keySlot(`${keyPrefix}${key}`)] ?? [];
    if (master === undefined) throw noNode();
    let writer = this.#writers.get(master);
    if (writer === undefined) {
      const open = (): RedisCopy => nodeAt(client, master).duplicate({ ...copyOptions, keyPrefix }) as RedisCopy;
      writer = new ReplicatedWrites({ replicas, open, deadline, runtime });
      this.#writers.set(master, writer);
    }
    return writer;
  }

  /** A former master keeps its connections. They are closed after the client has a new table. */
  #leaveFormer(): void {
    const { slots } = this.#parts.client;
    // The client makes new entries for each table.
    if (slots[0] === this.#table) return;
    this.#table = slots[0];
    const masters = new Set(slots.map((entry) => entry?.[0]));
    for (const [master, writer] of this.#writers) {
      if (masters.has(master)) continue;
      this.#writers.delete(master);
      writer.close(noNode());
    }
  }
}

/** The Cluster may have changed, or its servers cannot be reached. */
function mayLeadElsewhere(error: unknown): boolean {
  if (isLockError(error)) return !(error instanceof TooFewReplicas) && error.code !== 'LOCK_CLOSED';
  return !(error instanceof Error) || error.name !== 'ReplyError' || elsewhere.test(error.message);
}

/** A master that is followed also ends what it blocks. */
const elsewhere = /^(?:MOVED|ASK|TRYAGAIN|CLUSTERDOWN|UNBLOCKED)\b/;

function isMoved(error: unknown): error is Error {
  return error instanceof Error && error.message.startsWith('MOVED');
}

function stillMoving(cause: Error): LockError {
  return new LockError(
    'LOCK_UNAVAILABLE',
    `The table of slots is not up to date yet: ${cause.message}. The next call will use a newer one.`,
    { cause },
  );
}

/** @throws `LOCK_UNAVAILABLE` where the client has lost it. */
function nodeAt(client: RedisClusterClient, name: string): RedisNode {
  const found = client.nodes('master').find(({ options }) => `${options?.host}:${options?.port}` === name);
  if (found === undefined) throw noNode();
  return found;
}
