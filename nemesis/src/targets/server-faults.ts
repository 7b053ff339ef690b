import type { ServerFault } from '@locks/conformance/nemesis';
import type { ServerHandle } from '@locks/test-servers';

/** What can be done to any server that keeps its data: it is stopped, or killed and started again. */
export function faultsOfServers(servers: readonly ServerHandle[]): Readonly<Record<string, ServerFault>> {
  const of = (index: number): ServerHandle => servers[index] as ServerHandle;
  return {
    'server-pause': {
      silences: servers.length === 1,
      async begin(index) {
        await of(index).pause();
        return () => of(index).resume();
      },
    },
    'server-restart': {
      lasts: [0, 0.5],
      async begin(index) {
        await of(index).kill();
        return () => of(index).restart();
      },
    },
  };
}
