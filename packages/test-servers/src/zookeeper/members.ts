import type { ServerHandle } from '../handle.ts';
import { PortTakenError } from '../ports.ts';

/** The members of an ensemble: those that vote, then its observers. */
export interface Members {
  readonly servers: readonly ServerHandle[];
  /** Cuts the member of that index off from the others, if it can be done; returns what ends it. */
  cutOff(index: number): () => Promise<void>;
  /** Ends all of them. May be called again. */
  stop(): Promise<void>;
}

/** All of them, or none: stops those that have started when others have not. */
export async function startTogether(starting: readonly Promise<ServerHandle>[]): Promise<readonly ServerHandle[]> {
  const results = await Promise.allSettled(starting);
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  if (failures.length === 0) return started;
  await Promise.all(started.map((server) => server.stop()));
  throw failures.find((failure) => failure instanceof PortTakenError) ?? failures[0];
}
