import { Redis } from 'ioredis';
import type { Command, RedisOptions } from 'ioredis';

/** What was sent since the last `reset`, by command name. */
export class CommandCounter {
  readonly calls = new Map<string, number>();

  /** `answered` settles with its answer. */
  add(name: string, _answered: Promise<unknown>): void {
    this.calls.set(name, (this.calls.get(name) ?? 0) + 1);
  }

  get total(): number {
    let total = 0;
    for (const calls of this.calls.values()) total += calls;
    return total;
  }

  reset(): void {
    this.calls.clear();
  }
}

/**
 * An ioredis client that counts what it and its duplicates send: the server does not distinguish
 * these from commands of scripts.
 */
class CountingRedis extends Redis {
  readonly #counter: CommandCounter;

  constructor(options: RedisOptions, counter: CommandCounter) {
    // Lazily: the commands of the connection itself are sent before a constructor could set the
    // counter.
    super({ ...options, lazyConnect: true });
    this.#counter = counter;
  }

  override sendCommand(command: Command, stream?: Parameters<Redis['sendCommand']>[1]): unknown {
    this.#counter.add(command.name, command.promise);
    return super.sendCommand(command, stream);
  }

  override duplicate(override?: Partial<RedisOptions>): Redis {
    return new CountingRedis({ ...this.options, ...override }, this.#counter);
  }
}

/** A connected client, and what it has sent. */
export async function connect(
  url: string,
  counter: CommandCounter = new CommandCounter(),
): Promise<{ client: Redis; counter: CommandCounter }> {
  const { hostname, port } = new URL(url);
  const client = new CountingRedis({ host: hostname, port: Number(port) }, counter);
  await client.connect();
  counter.reset();
  return { client, counter };
}
