import { startRedis } from '@locks/test-servers';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    redisUrl: string;
  }
}

/** One Redis for the files of this package that do not break it; those that do start their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startRedis();
  project.provide('redisUrl', server.url);
  return () => server.stop();
}
