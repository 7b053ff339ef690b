import type { Runtime } from '@locks/core/adapter';
import { unlessAborted } from '../../connection/unless-aborted.ts';
import { sessionEnding } from '../../servers/session-ending.ts';
import type { SessionEnding } from '../../servers/transport.ts';
import type { ConnectingSession } from '../../servers/connector.ts';
import { perform } from './calls.ts';
import type { ManagedClient } from './managed-client.ts';

/** The part of the session timeout after which a silent server is replaced. */
const shareOfSilence = 1 / 9;

/** A client, and its session once usable. */
export interface ClientSession {
  readonly managed: ManagedClient;
  session: ConnectingSession | undefined;
}

/** The sessions in use, by id. */
export type ClientSessions = Map<bigint, ClientSession>;

/** Ends the sessions of abandoned clients, and the clients. */
export function clientEnding(runtime: Runtime, clients: ClientSessions): SessionEnding {
  const ending = sessionEnding(runtime, async ({ id }, connection, { over }) => {
    const managed = clients.get(id)?.managed;
    clients.delete(id);
    if (managed === undefined) return;
    const timeout = managed.client.getSessionTimeout();
    const unanswered = connection?.oldestUnansweredAt ?? Infinity;
    if (runtime.clock.now() - unanswered > timeout * shareOfSilence) managed.cut();
    try {
      // After its timeout the session has ended by itself.
      await managed.whenConnected(timeout, over);
      const { nodes, client, watcher, watches } = managed;
      const parts = { client, watcher, watches, fire() {}, answered() {} };
      const removed = nodes?.removeAll(id, (call) => perform(parts, call));
      // The client may never call back.
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
      // Their sessions have ended, as a server has reported.
      for (const { managed } of clients.values()) managed.stop();
      clients.clear();
    },
  };
}
