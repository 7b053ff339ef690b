import { startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    redisUrl: string;
  }
}

/** One Redis for the files of this package that do not break it; those that do start their own. */
let server: ServerHandle | undefined;

export async function setup(project: TestProject): Promise<void> {
  server = await startRedis();
  project.provide('redisUrl', server.url);
}

export async function teardown(): Promise<void> {
  await server?.stop();
}
