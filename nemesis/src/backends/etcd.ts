import { startEtcd } from '@locks/test-servers';
import { type Backend, hostOf } from './backend.ts';

/** One etcd, which keeps what it confirmed. */
export const etcd: Backend = {
  adapter: 'etcd',
  clients: ['@bufbuild/protobuf', '@grpc/grpc-js'],
  async start() {
    const server = await startEtcd();
    return {
      servers: [server],
      // No lease of an etcd ends sooner than after two seconds.
      target: (addresses) => ({ url: `etcd://${hostOf(addresses)}`, ttl: 3_000, options: { timeout: 2_000 } }),
      stop: () => server.stop(),
    };
  },
};
