import { startZookeeper, startZookeeperEnsemble } from '@locks/test-servers';
import type { ServerHandle, ZookeeperEnsemble } from '@locks/test-servers';
import { afterAll } from 'vitest';

/** Where a server listens. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** As the option `servers` takes it. */
export function serversOf(...places: readonly Place[]): string {
  return places.map(({ host, port }) => `${host}:${port}`).join(',');
}

/** A server that stops at the end of the test file. */
export async function ownServer(options?: Parameters<typeof startZookeeper>[0]): Promise<ServerHandle> {
  const server = await startZookeeper(options);
  afterAll(() => server.stop());
  return server;
}

/** An ensemble that stops at the end of the test file. */
export async function ownEnsemble(options?: Parameters<typeof startZookeeperEnsemble>[0]): Promise<ZookeeperEnsemble> {
  const ensemble = await startZookeeperEnsemble(options);
  afterAll(() => ensemble.stop());
  return ensemble;
}
