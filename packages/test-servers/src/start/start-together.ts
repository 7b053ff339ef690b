import type { ServerHandle } from '../server/handle.ts';
import { PortTakenError } from '../server/ports.ts';

/**
 * All of `count` servers, or none: if one does not start, the others are aborted by the signal, and
 * stopped.
 */
export async function startTogether(
  count: number,
  start: (index: number, signal: AbortSignal) => Promise<ServerHandle>,
): Promise<readonly ServerHandle[]> {
  const giveUp = new AbortController();
  const failures: unknown[] = [];
  const started = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      try {
        return [await start(index, giveUp.signal)];
      } catch (error) {
        failures.push(error);
        giveUp.abort();
        return [];
      }
    }),
  );
  const servers = started.flat();
  if (failures.length === 0) return servers;
  await Promise.all(servers.map((server) => server.stop()));
  throw failures.find((failure) => failure instanceof PortTakenError) ?? failures[0];
}
