import { startChild } from '@locks/conformance/processes';
import type { NetworkRequest } from './slow-network-process.ts';

/** A slower connection to a server. */
export interface SlowNetwork extends AsyncDisposable {
  readonly url: string;
}

/**
 * A connection to the Redis at `url` with round trips `roundTrip` ms longer. A separate process
 * delays the messages, and needs most of a core.
 */
export async function openSlowNetwork(url: string, roundTrip: number): Promise<SlowNetwork> {
  const child = startChild<NetworkRequest>(new URL('./slow-network-process.js', import.meta.url), {
    name: 'The slow network',
  });
  const { hostname, port } = new URL(url);
  const way = new URL(url);
  way.port = String(await child.ask({ host: hostname, port: Number(port), delay: roundTrip / 2 }));
  return { url: way.href, [Symbol.asyncDispose]: () => child.kill() };
}
