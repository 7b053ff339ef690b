import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { LockError } from '@locks/core';
import type { Direction } from '@locks/conformance';
import type { Server } from './server.ts';

interface Connection {
  cut: boolean;
  /** Whether pushes arrive. */
  subscribed: boolean;
  /** How to reject the calls whose reply it owes. */
  readonly calls: Set<(error: LockError) => void>;
  /** The latest of the replies on their way: none overtakes another. */
  replies: Promise<void>;
}

/** What lies between one provider and the server, and what can go wrong there. */
export class Link {
  swallows: Direction | undefined = undefined;
  delay = 0;
  dropsNext = false;
  duplicates = false;
  /** How many there have been: more than one after a cut. */
  connections = 0;
  /** What happens at the server when a connection ends. */
  onCut: () => void = () => {};
  readonly #server: Server;
  readonly #timeout: number;
  readonly #onSubscribed: () => void;
  #connection: Connection;
  #closed = false;

  /**
   * Each call settles within `timeout` ms. `onSubscribed` is called whenever pushes begin to
   * arrive, after an interruption too.
   */
  constructor(server: Server, timeout: number, onSubscribed: () => void) {
    this.#server = server;
    this.#timeout = timeout;
    this.#onSubscribed = onSubscribed;
    this.#connection = this.#connect();
  }

  /** One command and its reply. Rejects with `LOCK_UNAVAILABLE` when there is none. */
  request<T>(command: () => Promise<T>): Promise<T> {
    return this.#send(this.#connection, async () => {
      const drops = this.dropsNext;
      this.dropsNext = false;
      const [outcome] = await Promise.allSettled([command()]);
      if (this.duplicates) await command().catch(() => {});
      if (drops) this.cut();
      return outcome;
    });
  }

  /** Tells the client something that it did not ask for, if it listens. */
  async push(deliver: () => void): Promise<void> {
    const connection = this.#connection;
    if (connection.subscribed && (await this.#comesBack(connection))) deliver();
  }

  /** Cuts the connection and makes another. */
  cut(): void {
    this.onCut();
    this.#end(new LockError('LOCK_UNAVAILABLE', 'The connection was cut.'));
    if (!this.#closed) this.#connection = this.#connect();
  }

  close(reason: LockError): void {
    this.#closed = true;
    this.#end(reason);
  }

  #connect(): Connection {
    this.connections += 1;
    const connection: Connection = { cut: false, subscribed: false, calls: new Set(), replies: Promise.resolve() };
    void this.#subscribe(connection);
    return connection;
  }

  async #subscribe(connection: Connection): Promise<void> {
    // Everywhere it takes longer to listen again than to ask again. Shorter, and a loaded machine
    // releases after it: no wake is missing then.
    if (this.connections > 1) await sleep(50);
    while (!connection.cut && !connection.subscribed) {
      const command = async (): Promise<PromiseSettledResult<true>> => ({ status: 'fulfilled', value: true });
      connection.subscribed = await this.#send(connection, command).catch(() => false);
      if (connection.subscribed) this.#onSubscribed();
      else await turn();
    }
  }

  #end(reason: LockError): void {
    this.#connection.cut = true;
    for (const fail of this.#connection.calls) fail(reason);
  }

  #send<T>(connection: Connection, command: () => Promise<PromiseSettledResult<T>>): Promise<T> {
    const timeout = this.#timeout;
    return new Promise<T>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const fail = (error: LockError): void => {
        clearTimeout(timer);
        connection.calls.delete(fail);
        reject(error);
      };
      connection.calls.add(fail);
      const late = new LockError('LOCK_UNAVAILABLE', `The server did not answer within ${timeout} ms.`);
      if (timeout < Infinity) timer = setTimeout(() => fail(late), timeout);
      void this.#travel(connection, command, fail).then((outcome) => {
        if (outcome === undefined || !connection.calls.delete(fail)) return;
        clearTimeout(timer);
        if (outcome.status === 'fulfilled') resolve(outcome.value);
        else reject(outcome.reason as Error);
      });
    });
  }

  /** There and back; `undefined`: it was lost on the way. */
  async #travel<T>(
    connection: Connection,
    command: () => Promise<PromiseSettledResult<T>>,
    fail: (error: LockError) => void,
  ): Promise<PromiseSettledResult<T> | undefined> {
    await turn();
    if (connection.cut || this.swallows === 'requests' || this.swallows === 'both') return undefined;
    if (!(await this.#server.takesRequest())) {
      fail(new LockError('LOCK_UNAVAILABLE', 'The connection was refused.'));
      return undefined;
    }
    const outcome = await command();
    return (await this.#comesBack(connection)) ? outcome : undefined;
  }

  /** The way back of one message: whether it arrives. */
  async #comesBack(connection: Connection): Promise<boolean> {
    if (this.swallows === 'replies' || this.swallows === 'both') return false;
    const earlier = connection.replies;
    const way = this.delay > 0 ? sleep(this.delay) : turn();
    connection.replies = Promise.all([earlier, way]).then(() => {});
    await connection.replies;
    return !connection.cut;
  }
}
