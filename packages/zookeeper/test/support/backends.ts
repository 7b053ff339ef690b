import type { ServerHandle } from '@locks/test-servers';
import { createZookeeperProvider } from '../../src/index.ts';
import type { Backend } from './conformance.ts';
import { ownEnsemble, ownServer, serversOf } from './servers.ts';

/**
 * Short units of time, for short sessions. The server looks often for empty folders, and for silent
 * connections. A session may connect to a follower twice at the same moment, as after a pause. Then
 * ZooKeeper 3.8 leaves one of the two connections without answer, and keeps it though its client
 * has closed it. It goes with the session timeout, rounded up to `sessionlessCnxnTimeout` (10 s by
 * default).
 */
export const serverOptions = {
  tickTime: 200,
  maxSessionTimeout: 60_000,
  javaProperties: {
    'znode.container.checkIntervalMs': '50',
    'zookeeper.nio.sessionlessCnxnTimeout': '1000',
  },
} as const;

/** One server of the file's own, which it stops at its end. */
export async function startAlone(): Promise<Backend> {
  const server = await ownServer(serverOptions);
  await makeRoot([server]);
  await warmUp([server]);
  return {
    members: [server],
    faults: {
      async pause() {
        await server.pause();
        return () => server.resume();
      },
      restart: () => server.restart(),
      async restartEmpty() {
        await server.restart({ keepData: false });
        await makeRoot([server]);
      },
    },
  };
}

/**
 * Three servers, which the file stops at its end. They can be paused together for longer than any
 * requirement does. Past `syncLimit`, followers leave a paused leader that has not noticed
 * anything. If they come back to it with a proposal outstanding, ZooKeeper 3.8 commits nothing any
 * more until a restart (2 of 37 times).
 */
export async function startEnsemble(): Promise<Backend> {
  const { servers } = await ownEnsemble({ ...serverOptions, initLimit: 100, syncLimit: 100 });
  await makeRoot(servers);
  await warmUp(servers);
  const all = async (change: (server: ServerHandle) => Promise<void>): Promise<void> => {
    await Promise.all(servers.map(change));
  };
  return {
    members: servers,
    limit: 120_000,
    faults: {
      async pause() {
        await all((server) => server.pause());
        return () => all((server) => server.resume());
      },
      async restart() {
        await all((server) => server.kill());
        await all((server) => server.restart());
      },
      async restartEmpty() {
        await all((server) => server.kill());
        await all((server) => server.restart({ keepData: false }));
        await makeRoot(servers);
      },
    },
  };
}

/**
 * What the first provider makes stays: the root, and the base of tokens. And a chroot, which locks
 * of one user do not make.
 */
async function makeRoot(members: readonly ServerHandle[]): Promise<void> {
  for (const root of ['/locks', '/app']) {
    const first = createZookeeperProvider({ servers: serversOf(...members), root, acl: 'open' });
    await first.connect(10_000);
    await first.close();
  }
}

/**
 * Java takes several times as long for its first few thousand requests. While other servers start,
 * 500 attempts at once took an ensemble 8 s, and 2.5 s later. No requirement is about that.
 */
async function warmUp(members: readonly ServerHandle[]): Promise<void> {
  const providers = members.map(({ host, port }) =>
    createZookeeperProvider({ servers: `${host}:${port}`, root: '/warm-up', acl: 'open', timeout: 60_000 }),
  );
  for (let round = 0; round < 10; round += 1) {
    const attempts = Array.from({ length: 60 }, async (_, index) => {
      const provider = providers[index % providers.length];
      const claim = { key: `${round}`, owner: `warm-up/${round}-${index}`, mode: 'exclusive', ttl: 60_000 } as const;
      if ((await provider?.tryAcquire(claim))?.granted === true) await provider?.release(claim);
    });
    await Promise.all(attempts);
  }
  await Promise.all(providers.map((provider) => provider.close()));
}
