import { createDeadline, misconfigured } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { RedisClient } from './client.ts';
import { redisSource } from './options.ts';
import { toLockError } from './replies.ts';
import { otherProtocol } from './other-protocol.ts';
import type { RefusingServer } from './other-protocol.ts';

/**
 * A client of this package's own: `connect`, `disconnect` and events on top of what the provider
 * uses.
 */
export interface OwnClient extends RedisClient {
  connect(): Promise<unknown>;
  select(db: number): Promise<unknown>;
  disconnect(): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** The class of `ioredis`. Throws `LOCK_MISCONFIGURED` with what to install. */
export async function importClient(): Promise<new (options: object) => OwnClient> {
  try {
    const { Redis } = await import('ioredis');
    return Redis;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw misconfigured(redisSource.where, 'it needs ioredis 5 or 6, which is not installed. Run: npm install ioredis');
  }
}

/**
 * Connects `client` within `limit` ms.
 * @throws `LOCK_MISCONFIGURED` where another attempt would fail in the same way; else
 * `LOCK_UNAVAILABLE`.
 */
export async function connectClient(
  client: OwnClient,
  { db, ...server }: RefusingServer & { readonly db: number | undefined },
  limit: number,
  runtime: Runtime,
): Promise<void> {
  let last: unknown;
  client.on('error', (error) => (last = error));
  const deadline = createDeadline(runtime, limit, 'Redis');
  try {
    await deadline.race(client.connect(), 'the connection');
    // The client goes on in database 0 when it cannot select: a lock there would exclude nothing.
    if (db !== undefined) await deadline.race(client.select(db), 'SELECT');
  } catch (error) {
    client.disconnect();
    const text = error instanceof Error ? error.message : '';
    if (/DB index|SELECT is not allowed/.test(text)) {
      throw misconfigured(redisSource.where, `option "db" is ${db}, and Redis answers: ${text}`);
    }
    const failure = toLockError(last ?? error, { what: 'the connection' });
    throw (await otherProtocol(server, failure)) ?? failure;
  } finally {
    deadline.stop();
  }
}
