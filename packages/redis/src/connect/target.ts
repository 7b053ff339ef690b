import type { Asked, Host } from '@locks/core/adapter';
import type { RedisKind } from '../options/redis-url.ts';
import type { AnyRedisClient } from '../wire/servers.ts';

/** The target of an own client. */
export interface Target {
  readonly kind: RedisKind;
  readonly hosts: readonly Host[];
  /** The Sentinels' name of the master. */
  readonly name: string | undefined;
  readonly db: number | undefined;
  readonly username: Asked<string> | undefined;
  readonly password: Asked<string> | undefined;
  readonly sentinelUsername: Asked<string> | undefined;
  readonly sentinelPassword: Asked<string> | undefined;
  /** Options of TLS, if it is used; `true`: Node's defaults. */
  readonly tls: Asked<true | object> | undefined;
  readonly connectionName: string;
  /** Of IP addresses: 4, 6, or 0 for both. */
  readonly family: 0 | 4 | 6 | undefined;
  readonly connectTimeout: number;
  /** How long a call may take, in ms. */
  readonly timeout: number;
}

/** A client, and how to close it. */
export interface Opened {
  readonly client: AnyRedisClient;
  close(): void;
}

/** The pause after a client's failed attempt of this number, in ms. */
export const pauseAfter = (attempt: number): number => Math.min(attempt * 50, 1_000);

/** `options` without those that are `undefined`, which clients would take for values. */
export function given(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
