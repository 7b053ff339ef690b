import type { ServerDefinition } from '../../server/definition.ts';
import type { WallClocks } from '../../support/wall-clocks.ts';
import { probeRedis } from '../redis-probe.ts';

/** In which way a Redis that is part of others is started: as a local process. */
export function defineNode(settings: readonly string[], clocks?: WallClocks): ServerDefinition {
  return {
    name: 'redis',
    image: 'redis:8-alpine',
    containerPort: 6379,
    containerCommand: ['redis-server', ...settings],
    program: { binary: 'redis-server', debianPackage: 'redis-server', macos: 'brew install redis' },
    localArguments: ({ dataFolder }, port) => [
      ...['--port', `${port}`, '--bind', '127.0.0.1', '--dir', dataFolder, '--save', ''],
      // A replica need not wait for others that may want the same copy.
      ...['--repl-diskless-sync-delay', '0', ...settings],
    ],
    ...(clocks && { environment: clocks.environmentOf }),
    portTaken: /Address already in use/,
    url: (host, port) => `redis://${host}:${port}`,
    probe: probeRedis,
  };
}
