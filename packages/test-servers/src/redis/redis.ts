import type { ServerDefinition } from '../server/definition.ts';
import type { ServerHandle } from '../server/handle.ts';
import { mustBeLocal } from './local-only.ts';
import { probeRedis } from './redis-probe.ts';
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
  /** Gives the server a clock that can be put off. Local processes only. @default none */
  readonly clocks?: WallClocks | undefined;
}

/**
 * Starts a Redis of its own for the caller, in the way that the environment chooses (see the
 * README). Resolves when it answers PING; rejects with the end of its output when it does not
 * within 10 s (60 s in Docker). Rejects when `LOCKS_TEST_REDIS_URL` names an external server and
 * options are given, for it cannot be given any.
 */
export function startRedis(options: RedisServerOptions = {}): Promise<ServerHandle> {
  const { args = [], password, clocks } = options;
  if (clocks !== undefined) mustBeLocal('a Redis with a clock of its own');
  const settings = ['--save', '', ...(password === undefined ? [] : ['--requirepass', password]), ...args];
  const credentials = password === undefined ? '' : `:${encodeURIComponent(password)}@`;
  const definition: ServerDefinition = {
    name: 'redis',
    image: 'redis:8-alpine',
    containerPort: 6379,
    containerCommand: ['redis-server', ...settings],
    program: { binary: 'redis-server', debianPackage: 'redis-server', macos: 'brew install redis' },
    localArguments: ({ dataFolder }, port) => [
      '--port',
      `${port}`,
      '--bind',
      '127.0.0.1',
      '--dir',
      dataFolder,
      ...settings,
    ],
    ...(clocks && { environment: clocks.environmentOf }),
    portTaken: /Address already in use/,
    url: (host, port) => `redis://${credentials}${host}:${port}`,
    probe: probeRedis,
    ...(password === undefined ? {} : { secret: password }),
  };
  return startServer(definition, Object.keys(options));
}
