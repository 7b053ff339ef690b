import { randomUUID } from 'node:crypto';
import type { LockProvider } from '@locks/core';
import { inject, onTestFinished } from 'vitest';
import { createEtcdProvider } from '../../src/index.ts';
import type { EtcdConfigOptions } from '../../src/index.ts';

/** The server that the files of this package share. */
export function sharedServer(): { readonly url: string; readonly host: string; readonly port: number } {
  const url = inject('etcdUrl');
  const { hostname, port } = new URL(url);
  return { url, host: hostname, port: Number(port) };
}

/** A prefix that no other test has. */
export function ownPrefix(): string {
  return `test-${randomUUID()}`;
}

/** A provider on the shared server, or another one, that ends with the test. */
export async function open(options: EtcdConfigOptions & { readonly url?: string } = {}): Promise<LockProvider> {
  const provider = await createEtcdProvider({ url: inject('etcdUrl'), prefix: ownPrefix(), ...options });
  onTestFinished(() => provider.close());
  return provider;
}
