import type { ServerDefinition } from '../server/definition.ts';
import type { ServerHandle } from '../server/handle.ts';
import { defineNode } from './node.ts';
import { mustBeLocal } from './local-only.ts';
import { startServer } from '../start/start-server.ts';
import type { WallClocks } from '../support/wall-clocks.ts';

/** Options of `startRedis`. */
export interface RedisServerOptions {
  /**
   * Further arguments of `redis-server`, such as `['--appendonly', 'yes']`; without any the server
   * persists nothing.
   * @default []
   */
  readonly args?: readonly string[];
  /**
   * What clients must send with AUTH; part of the handle's `url`. Visible in the process list: not
   * a secret. @default none
   */
  readonly password?: string;
  /** Gives the server an adjustable clock. Local processes only. @default none */
  readonly clocks?: WallClocks | undefined;
}

/**
 * Starts a separate Redis, as chosen by the environment (see the README). Resolves when it answers
 * PING; rejects with the end of its output if it does not within 10 s (60 s in Docker). Rejects if
 * `LOCKS_TEST_REDIS_URL` names an external server and options are set, which it cannot have.
 */
export function startRedis(options: RedisServerOptions = {}): Promise<ServerHandle> {
  const { args = [], password, clocks } = options;
  if (clocks !== undefined) mustBeLocal('a Redis with a clock of its own');
  const node = defineNode([...(password === undefined ? [] : ['--requirepass', password]), ...args], clocks);
  const definition: ServerDefinition = {
    ...node,
    url: (host, port) => `redis://${password === undefined ? '' : `:${encodeURIComponent(password)}@`}${host}:${port}`,
    ...(password === undefined ? {} : { secret: password }),
  };
  return startServer(definition, Object.keys(options));
}
