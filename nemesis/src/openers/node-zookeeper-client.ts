import type { OpenArguments, OpenedLocks } from '@locks/conformance/nemesis';
import { createZookeeperProvider } from '@locks/zookeeper';
import zookeeper from 'node-zookeeper-client';
import { openedOver } from './opened.ts';

interface Args {
  readonly ttl: number;
  readonly options: object;
  readonly sessionTimeout: number;
}

/** Locks over clients that the application creates, one per session. */
export function open({ addresses, settings, args }: OpenArguments): OpenedLocks {
  const { ttl, options, sessionTimeout } = args as unknown as Args;
  const { spinDelay = 50, ...more } = settings;
  const servers = addresses.map(({ host, port }) => `${host}:${port}`).join(',');
  const clientOptions = { sessionTimeout, spinDelay: Number(spinDelay) };
  const provider = createZookeeperProvider({
    ...options,
    ...more,
    client: () => zookeeper.createClient(servers, clientOptions),
  });
  return openedOver(provider, ttl, () => {});
}
