import { startEtcd } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    etcdUrl: string;
  }
}

/** One etcd for the files of this package that do not break it; those that do start their own. */
let server: ServerHandle | undefined;

export async function setup(project: TestProject): Promise<void> {
  server = await startEtcd();
  project.provide('etcdUrl', server.url);
}

export async function teardown(): Promise<void> {
  await server?.stop();
}
