import type { Runtime } from '@locks/core/adapter';
import type { Connection } from '../../connection/connection.ts';
import type { AbandonedSession, SessionEnding } from '../../servers/transport.ts';
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
export class ClientEnding implements SessionEnding {
  readonly #runtime: Runtime;
  readonly #clients: ClientSessions;
  readonly #over: AbortController = new AbortController();
  #work: Promise<void> | undefined;

  constructor(runtime: Runtime, clients: ClientSessions) {
    this.#runtime = runtime;
    this.#clients = clients;
  }

  add({ id }: AbandonedSession, connection: Connection | undefined): void {
    const managed = this.#clients.get(id)?.managed;
    this.#clients.delete(id);
    if (managed !== undefined)
      this.#work = Promise.all([this.#work, this.#end(id, managed, connection)]).then(() => {});
  }

  async finish(within: number): Promise<void> {
    const timer = this.#runtime.setTimer(() => this.#over.abort(), within, true);
    await this.#work;
    this.#runtime.clearTimer(timer);
    this.#over.abort();
    // Their sessions have ended, as a server has told.
    for (const { managed } of this.#clients.values()) managed.stop();
    this.#clients.clear();
  }

  async #end(id: bigint, managed: ManagedClient, connection: Connection | undefined): Promise<void> {
    const timeout = managed.client.getSessionTimeout();
    const { signal } = this.#over;
    const unanswered = connection?.oldestUnansweredAt ?? Infinity;
    if (this.#runtime.clock.now() - unanswered > timeout * shareOfSilence) managed.cut();
    try {
      // Past its timeout the session has ended without us.
      await managed.whenConnected(timeout, signal);
      const { nodes, client, watcher, watches } = managed;
      const parts = { client, watcher, watches, fire() {}, answered() {} };
      if (nodes !== undefined)
        await untilAborted(
          nodes.removeAll(id, (call) => perform(parts, call)),
          signal,
        );
      await managed.end(timeout / 3, signal);
    } catch {
      managed.stop();
    }
  }
}

/** The client may call nothing back. */
function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
