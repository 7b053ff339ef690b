import { startProxy, startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';

/** A fault of a server that lasts all the time. `slow`: each of its replies comes 1 s late. */
export type Harm = 'dead' | 'frozen' | 'slow';

/** In ms: longer than `memberTimeout`, which a loaded machine must not exceed. */
const slowReply = 1_000;

/** One server of a quorum. */
export interface QuorumServer {
  readonly server: ServerHandle;
  /** Where clients reach it. */
  readonly url: string;
  /**
   * Sees what is in it. Absent where it does not answer in time: a composite that closes does not
   * wait for such a member, so votes may be left until their ttl.
   */
  readonly observer: Redis | undefined;
}

/** So many servers with persistence, which are stopped after the tests of this file. */
export async function startServers(
  count: number,
  harms: Readonly<Record<number, Harm>> = {},
): Promise<readonly QuorumServer[]> {
  // The system keeps what a server wrote before it ended, so nothing answered is lost by a kill.
  const args = ['--appendonly', 'yes', '--appendfsync', 'no'];
  return await Promise.all(
    Array.from({ length: count }, async (_, index) => await harmed(await startRedis({ args }), harms[index])),
  );
}

async function harmed(server: ServerHandle, harm: Harm | undefined): Promise<QuorumServer> {
  afterAll(() => server.stop());
  switch (harm) {
    case 'dead':
      await server.kill();
      return { server, url: server.url, observer: undefined };
    case 'frozen':
      await server.pause();
      return { server, url: server.url, observer: undefined };
    case 'slow': {
      const proxy = await startProxy(server);
      afterAll(() => proxy.stop());
      proxy.delay(slowReply, 'replies');
      return { server, url: proxy.url(server.url), observer: undefined };
    }
    case undefined:
      return { server, url: server.url, observer: observe(server) };
    default:
      return harm satisfies never;
  }
}

function observe({ url }: ServerHandle): Redis {
  // Its connection is cut at each restart.
  const observer = new Redis(url).on('error', () => {});
  afterAll(() => observer.disconnect());
  return observer;
}
