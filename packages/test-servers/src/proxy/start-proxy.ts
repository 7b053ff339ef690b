import { type Proxy, type ProxyOptions, type Target, startProxy as startOnPort } from '@locks/conformance/faults';
import { PortTakenError, startOnFreePort } from '../server/ports.ts';
import { messageOf } from '../server/ready.ts';

/** A proxy in front of `target`, on a port that no server of these packages reuses. */
export function startProxy(target: Target, options: Omit<ProxyOptions, 'port'> = {}): Promise<Proxy> {
  return startOnFreePort('127.0.0.1', async (port) => {
    try {
      return await startOnPort(target, { ...options, port });
    } catch (error) {
      const taken = (error as { readonly code?: unknown }).code === 'EADDRINUSE';
      throw taken ? new PortTakenError(messageOf(error), { cause: error }) : error;
    }
  });
}
