import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerHandle } from '@locks/test-servers';
import type { QuorumServer } from './servers.ts';

/**
 * A fault of another server in each round. `freeze`: it stands still. `restart`: it is killed
 * and started again with its data, again and again. Without its data it would need `restartGuard`,
 * and give no votes for the longest ttl. The next round would take another vote away, and two of
 * three are more than a majority can lose.
 */
export type Disturbance = 'freeze' | 'restart';

/** In ms, at most: how long a server runs before it is killed again. */
const running = 400;

/** Disturbs one of `servers` at a time. */
export interface Disturber {
  begin(round: number): Promise<() => Promise<void>>;
  /** The one that is disturbed now. */
  readonly victim: QuorumServer | undefined;
}

export function createDisturber(servers: readonly QuorumServer[], disturbance: Disturbance): Disturber {
  let victim: QuorumServer | undefined;
  return {
    get victim() {
      return victim;
    },
    async begin(round) {
      const chosen = servers[round % servers.length] as QuorumServer;
      victim = chosen;
      const end = disturbance === 'freeze' ? await freeze(chosen) : restartOften(chosen.server);
      return async () => {
        await end();
        victim = undefined;
      };
    },
  };
}

async function freeze({ server, observer }: QuorumServer): Promise<() => Promise<void>> {
  await server.pause();
  return async () => {
    await server.resume();
    // By the second answer it has done all that came while it stood still.
    await observer?.ping();
    await observer?.ping();
  };
}

function restartOften(server: ServerHandle): () => Promise<void> {
  const over = new AbortController();
  const work = (async () => {
    while (!over.signal.aborted) {
      await server.kill();
      await server.restart();
      await sleep(Math.random() * running, undefined, { signal: over.signal }).catch(() => {});
    }
  })();
  return async () => {
    over.abort();
    await work;
  };
}
