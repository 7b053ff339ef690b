import { askEtcd } from '@locks/test-servers';
import type { ServerAddress } from '@locks/test-servers';
import { sharedServer } from './etcd.ts';

/** The answer of etcd's HTTP gateway: a client that is not ours. */
export async function gateway(
  path: string,
  body: object,
  server: Pick<ServerAddress, 'host' | 'port'> = sharedServer(),
): Promise<unknown> {
  return await askEtcd(server, path, body);
}

/** As the gateway has keys and values. */
export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Writes a key as another program does. */
export async function put(key: string, value: string): Promise<void> {
  await gateway('kv/put', { key: base64(key), value: base64(value) });
}

/** The value of a key. `undefined`: there is none. */
export async function valueOf(key: string): Promise<string | undefined> {
  const { kvs = [] } = (await gateway('kv/range', { key: base64(key) })) as { kvs?: { value?: string }[] };
  const [kv] = kvs;
  return kv === undefined ? undefined : Buffer.from(kv.value ?? '', 'base64').toString();
}
