import type { ServerDefinition } from '../server/definition.ts';
import type { WallClocks } from '../support/wall-clocks.ts';
import { probeRedis } from './redis-probe.ts';

/** How a Redis is started, alone or as a part of others. Without `args` it persists nothing. */
export function defineNode(args: readonly string[], clocks?: WallClocks): ServerDefinition {
  // A replica need not wait for others that may need the same copy.
  const settings = ['--save', '', '--repl-diskless-sync-delay', '0', ...args];
  return {
    name: 'redis',
    image: 'redis:8-alpine',
    containerPort: 6379,
    containerCommand: ['redis-server', ...settings],
    program: { binary: 'redis-server', debianPackage: 'redis-server', macos: 'brew install redis' },
    localArguments: ({ dataFolder }, port) => [
      ...['--port', `${port}`, '--bind', '127.0.0.1', '--dir', dataFolder],
      ...settings,
    ],
    ...(clocks && { environment: clocks.environmentOf }),
    portTaken: /Address already in use/,
    url: (host, port) => `redis://${host}:${port}`,
    probe: probeRedis,
  };
}
