import type { ServerAddress } from '../server/address.ts';

/** Options of `askEtcd`. */
export interface AskEtcdOptions {
  /** @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** In ms. @default 10_000 */
  readonly within?: number;
}

/**
 * One request by etcd's HTTP gateway, to one member: a client that is not ours. Rejects if it
 * refuses or does not answer in time.
 */
export async function askEtcd<Answer = unknown>(
  { host, port }: Pick<ServerAddress, 'host' | 'port'>,
  path: string,
  body: object = {},
  { headers = {}, within = 10_000 }: AskEtcdOptions = {},
): Promise<Answer> {
  const response = await fetch(`http://${host}:${port}/v3/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(within),
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as Answer;
}
