import type { ServerHandle } from '../handle.ts';
import { PortTakenError } from '../ports.ts';

/** The members of an ensemble: those that vote, then its observers. */
export interface Members {
  readonly servers: readonly ServerHandle[];
  /** Cuts the member of that index off from the others, if it can be done; returns what ends it. */
  cutOff(index: number): () => Promise<void>;
  lag(index: number, delay: number): () => void;
  hold(index: number): () => void;
  mute(index: number): () => Promise<void>;
  /** Ends all of them. May be called again. */
  stop(): Promise<void>;
}

/**
 * All of `count` members, or none: when one does not start, the others are given up by the signal,
 * and stopped.
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
