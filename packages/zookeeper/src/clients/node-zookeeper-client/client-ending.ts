import type { Runtime } from '@locks/core/adapter';
import type { Connection } from '../../connection/connection.ts';
import type { AbandonedSession, SessionEnding } from '../../servers/transport.ts';
import type { ManagedClient } from './managed-client.ts';

/** A server that has not answered for this share of the session timeout is left for another one. */
const shareOfSilence = 1 / 9;

/** Ends the sessions of clients that were given up, and the clients. */
export class ClientEnding implements SessionEnding {
  readonly #runtime: Runtime;
  readonly #take: (id: bigint) => ManagedClient | undefined;
  readonly #over: AbortController = new AbortController();
  #work: Promise<void> | undefined;

  /** @param take The client of a session, which is not used for another connection. */
  constructor(runtime: Runtime, take: (id: bigint) => ManagedClient | undefined) {
    this.#runtime = runtime;
    this.#take = take;
  }

  add({ id }: AbandonedSession, connection: Connection | undefined): void {
    const managed = this.#take(id);
    if (managed !== undefined) this.#work = Promise.all([this.#work, this.#end(managed, connection)]).then(() => {});
  }

  async finish(within: number): Promise<void> {
    const timer = this.#runtime.setTimer(() => this.#over.abort(), within, true);
    await this.#work;
    this.#runtime.clearTimer(timer);
    this.#over.abort();
  }

  async #end(managed: ManagedClient, connection: Connection | undefined): Promise<void> {
    const timeout = managed.client.getSessionTimeout();
    const { signal } = this.#over;
    const unanswered = connection?.oldestUnansweredAt ?? Infinity;
    if (this.#runtime.clock.now() - unanswered > timeout * shareOfSilence) managed.cut();
    try {
      // Past its timeout the session has ended without us.
      await managed.whenConnected(timeout, signal);
      await managed.end(timeout / 3, signal);
    } catch {
      managed.stop();
    }
  }
}
