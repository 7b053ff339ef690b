import { LockError, isLockError } from '@locks/core/adapter';
import type { Deadline, Runtime } from '@locks/core/adapter';
import { copyOptions } from './client.ts';
import type { RedisClusterClient, RedisCopy, RedisNode, ScriptClient } from './client.ts';
import { keySlot } from './key-slot.ts';
import { replicatedWrites, TooFewReplicas } from './replicated-writes.ts';
import type { ClosableSender } from './replicated-writes.ts';
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
 * Renewals that are answered once this many replicas of the key's master have them: each master has
 * a separate connection and `WAIT`.
 */
export function clusterWrites({ client, replicas, deadline, runtime }: ClusterWritesParts): ClosableSender {
  const writers = new Map<string, ClosableSender>();
  let table: unknown;

  async function call(name: 'evalsha' | 'eval', args: Parameters<ScriptClient['eval']>): Promise<unknown> {
    try {
      return await writerOf(args[2])[name](...args);
    } catch (error) {
      if (!mayLeadElsewhere(error)) throw error;
    }
    // The client finds the master, and updates its table of slots. A renewal may be sent twice.
    await unpipelined(client)[name](...args);
    try {
      return await writerOf(args[2])[name](...args);
    } catch (error) {
      throw isMoved(error) ? stillMoving(error) : error;
    }
  }

  /** By the first key of the call: all its keys are in one slot. */
  function writerOf(key: string | number | undefined): ClosableSender {
    leaveFormer();
    const keyPrefix = client.options?.keyPrefix ?? '';
    const [master] = client.slots[keySlot(`${keyPrefix}${key}`)] ?? [];
    if (master === undefined) throw noNode();
    let writer = writers.get(master);
    if (writer === undefined) {
      const open = (): RedisCopy => nodeAt(client, master).duplicate({ ...copyOptions, keyPrefix }) as RedisCopy;
      writer = replicatedWrites({ replicas, open, deadline, runtime });
      writers.set(master, writer);
    }
    return writer;
  }

  /** A former master keeps its connections. They are closed after the client has a new table. */
  function leaveFormer(): void {
    const { slots } = client;
    // The client creates new entries for each table.
    if (slots[0] === table) return;
    table = slots[0];
    const masters = new Set(slots.map((entry) => entry?.[0]));
    for (const [master, writer] of writers) {
      if (masters.has(master)) continue;
      writers.delete(master);
      writer.close(noNode());
    }
  }

  return {
    // It opens its connections when calls need them.
    status: 'ready',
    evalsha: (...args) => call('evalsha', args),
    eval: (...args) => call('eval', args),
    close() {
      for (const writer of writers.values()) writer.close();
    },
  };
}

/** The Cluster may have changed, or its servers cannot be reached. */
function mayLeadElsewhere(error: unknown): boolean {
  if (isLockError(error)) return !(error instanceof TooFewReplicas) && error.code !== 'LOCK_CLOSED';
  return !(error instanceof Error) || error.name !== 'ReplyError' || elsewhere.test(error.message);
}

/** A demoted master also unblocks what it blocks. */
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

/** @throws `LOCK_UNAVAILABLE` if the client has lost it. */
function nodeAt(client: RedisClusterClient, name: string): RedisNode {
  const found = client.nodes('master').find(({ options }) => `${options?.host}:${options?.port}` === name);
  if (found === undefined) throw noNode();
  return found;
}
