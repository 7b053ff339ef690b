import { startRedis, startRedisCluster } from '@locks/test-servers';
import { Redis } from 'ioredis';

/** One server or a Cluster. */
export interface Deployment {
  /** The name of the subject in results. */
  readonly subject: string;
  readonly url: string;
  /** A client of each server, for its statistics. */
  readonly controls: readonly Redis[];
}

/** One server, and a Cluster of three masters without replicas. */
export interface Deployments extends AsyncDisposable {
  readonly server: Deployment;
  readonly cluster: Deployment;
  readonly version: string;
}

/** The subject that runs on a Cluster. */
export const onCluster = '@locks, Cluster';

export async function startDeployments(): Promise<Deployments> {
  const one = await startRedis();
  const several = await startRedisCluster({ replicas: 0 }).catch(async (error: unknown) => {
    await one.stop();
    throw error;
  });
  const server = { subject: '@locks', url: one.url, controls: [new Redis(one.url)] };
  const cluster = { subject: onCluster, url: several.url, controls: several.nodes.map(({ url }) => new Redis(url)) };
  const info = await server.controls[0]?.info('server');
  return {
    server,
    cluster,
    version: /redis_version:(\S+)/.exec(info ?? '')?.[1] ?? 'unknown',
    async [Symbol.asyncDispose]() {
      for (const control of [...server.controls, ...cluster.controls]) control.disconnect();
      await Promise.all([one.stop(), several.stop()]);
    },
  };
}
