import type { Deadline, Runtime } from '@locks/core/adapter';
import { copyOptions } from './client.ts';
import type { RedisClusterClient, RedisCopy, RedisNode, ScriptClient } from './client.ts';
import { keySlot } from './key-slot.ts';
import { ReplicatedWrites } from './replicated-writes.ts';
import { noNode } from './servers.ts';

/** What `ClusterWrites` is made of. */
export interface ClusterWritesParts {
  readonly client: RedisClusterClient;
  /** How many replicas of a master must have a write. */
  readonly replicas: number;
  readonly deadline: Deadline;
  readonly runtime: Runtime;
}

/**
 * Scripts whose grants and renewals are answered once so many replicas of the key's master have
 * them: each master has a connection and a `WAIT` of its own. A stale table of slots makes a call
 * fail with `MOVED`. The release that follows, over the client, has the table renewed.
 */
export class ClusterWrites implements Pick<ScriptClient, 'evalsha' | 'eval' | 'status'> {
  /** It opens its connections when calls need them. */
  readonly status = 'ready';
  readonly #parts: ClusterWritesParts;
  readonly #writers = new Map<string, ReplicatedWrites>();

  constructor(parts: ClusterWritesParts) {
    this.#parts = parts;
  }

  async evalsha(...args: Parameters<ScriptClient['evalsha']>): Promise<unknown> {
    return await this.#writerOf(args[2]).evalsha(...args);
  }

  async eval(...args: Parameters<ScriptClient['eval']>): Promise<unknown> {
    return await this.#writerOf(args[2]).eval(...args);
  }

  close(): void {
    for (const writer of this.#writers.values()) writer.close();
  }

  /** By the first key of the call: all its keys are in one slot. */
  #writerOf(key: string | number | undefined): ReplicatedWrites {
    const { client, replicas, deadline, runtime } = this.#parts;
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
}

/** @throws `LOCK_UNAVAILABLE` where the client has lost it. */
function nodeAt(client: RedisClusterClient, name: string): RedisNode {
  const found = client.nodes('master').find(({ options }) => `${options?.host}:${options?.port}` === name);
  if (found === undefined) throw noNode();
  return found;
}
