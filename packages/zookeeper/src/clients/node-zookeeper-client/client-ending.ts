import type { Runtime } from '@locks/core/adapter';
import { unlessAborted } from '../../connection/unless-aborted.ts';
import { sessionEnding } from '../../servers/session-ending.ts';
import type { SessionEnding } from '../../servers/transport.ts';
import type { ConnectingSession } from '../../servers/connector.ts';
import { perform } from './calls.ts';
import type { ManagedClient } from './managed-client.ts';

/** A server that has not answered for this share of the session timeout is left for another one. */
const shareOfSilence = 1 / 9;

/** A client, and the session above it once that can be used. */
export interface ClientSession {
  readonly managed: ManagedClient;
  session: ConnectingSession | undefined;
}

/** The sessions that are not given up, by their numbers. */
export type ClientSessions = Map<bigint, ClientSession>;

/** Ends the sessions of clients that were given up, and the clients. */
export function clientEnding(runtime: Runtime, clients: ClientSessions): SessionEnding {
  const ending = sessionEnding(runtime, async ({ id }, connection, { over }) => {
    const managed = clients.get(id)?.managed;
    clients.delete(id);
    if (managed === undefined) return;
    const timeout = managed.client.getSessionTimeout();
    const unanswered = connection?.oldestUnansweredAt ?? Infinity;
    if (runtime.clock.now() - unanswered > timeout * shareOfSilence) managed.cut();
    try {
      // Past its timeout the session has ended without us.
      await managed.whenConnected(timeout, over);
      const { nodes, client, watcher, watches } = managed;
      const parts = { client, watcher, watches, fire() {}, answered() {} };
      const removed = nodes?.removeAll(id, (call) => perform(parts, call));
      // The client may call nothing back.
      await unlessAborted(removed, over);
      await managed.end(timeout / 3, over);
    } catch {
      managed.stop();
    }
  });
  return {
    add: ending.add,
    async finish(within) {
      await ending.finish(within);
      // Their sessions have ended, as a server has told.
      for (const { managed } of clients.values()) managed.stop();
      clients.clear();
    },
  };
}
