import type { Runtime } from '@locks/core/adapter';
import type { Address } from '../../connection/address.ts';
import {
  AuthFailedError,
  ConnectError,
  ConnectionClosedError,
  SessionExpiredError,
  SilentServerError,
} from '../../connection/errors.ts';
import { eventTypes } from '../../wire/records.ts';
import type { WatchEvent } from '../../wire/records.ts';
import type { ClientEvent, NodeZookeeperClient } from './client.ts';
import { OwnNodes } from './own-nodes.ts';
import { watchBudgetOf } from './watch-budget.ts';
import type { WatchBudget } from './watch-budget.ts';
import { insidesOf, listenToSockets } from './insides.ts';

/** Receives the events of one connection of the client. */
export interface ConnectionListener {
  heard(): void;
  /** The connection has ended, or is unusable. */
  lost(cause: Error): void;
}

/** In ms. A connection that ended sooner was useless. */
const shortLife = 1_000;
const firstPause = 50;
const longestPause = 500;

/** One client with its one session: its events in order, and its end. */
export class ManagedClient {
  readonly client: NodeZookeeperClient;
  /** The one function for all watches: the client recognises it for each path. */
  readonly watcher: (event: ClientEvent) => void;
  readonly watches: WatchBudget;
  /** Of a client that belongs to the caller. */
  readonly nodes: OwnNodes | undefined;
  readonly #runtime: Runtime;
  readonly #release: () => void;
  readonly #onState: (state: { readonly name: string }) => void;
  readonly #changes = new Set<() => void>();
  #listener: ConnectionListener | undefined;
  #connected: boolean;
  #dead: Error | undefined;
  #stopped = false;
  #openedAt = Number.NEGATIVE_INFINITY;
  /** Successive connections that ended soon. */
  #short = 0;

  /**
   * @param fire Called for each event of a watch.
   * @param borrowed It belongs to the caller, and is never closed.
   */
  constructor(client: NodeZookeeperClient, runtime: Runtime, fire: (event: WatchEvent) => void, borrowed: boolean) {
    this.nodes = borrowed ? new OwnNodes() : undefined;
    this.client = client;
    this.#runtime = runtime;
    this.#connected = client.getState().name === 'SYNC_CONNECTED';
    this.watches = watchBudgetOf(client);
    this.watcher = ({ type, path }) => {
      this.watches.give(path);
      fire({ type: eventTypes.get(type) ?? 'changed', path });
    };
    this.#release = listenToSockets(client, {
      connecting: (connect) => this.#connecting(connect),
      connected: () => {
        this.#openedAt = runtime.clock.now();
        return !this.#stopped || this.nodes !== undefined;
      },
      heard: () => this.#listener?.heard(),
      failed: (error) => {
        this.#lose(error);
        this.cut();
      },
    });
    this.#onState = ({ name }) => this.#enter(name);
    client.on('state', this.#onState);
  }

  /** Why its session is over. `undefined`: it may continue. */
  get dead(): Error | undefined {
    return this.#dead;
  }

  /** Just before the last connect request was written, by the runtime's clock, in ms. */
  get openedAt(): number {
    return this.#openedAt;
  }

  /** The connected server; without a connection, the first one known. */
  get address(): Address {
    const { socket, servers } = insidesOf(this.client);
    if (socket?.remoteAddress !== undefined && socket.remotePort !== undefined)
      return { host: socket.remoteAddress, port: socket.remotePort };
    const [first] = servers;
    return { host: first?.host ?? '', port: Number(first?.port ?? 0) };
  }

  /** Sends the events of the present connection to `listener`. */
  listen(listener: ConnectionListener): void {
    this.#listener = listener;
  }

  /** Resolves when it is connected. Rejects after `within` ms, or when it never will be. */
  whenConnected(within: number, signal: AbortSignal): Promise<void> {
    return this.#until(within, signal, () => {
      if (this.#dead !== undefined) throw this.#dead;
      return this.#connected;
    });
  }

  /** Ends its session over the present connection. Resolves when the server has closed it. */
  async end(within: number, signal: AbortSignal): Promise<void> {
    if (this.#connected && this.nodes === undefined) {
      this.hold(true);
      this.client.close();
      await this.#until(within, signal, () => !this.#connected).catch(() => {});
    }
    this.stop();
  }

  /** Ends the connection. The client opens another one, unless stopped. */
  cut(): void {
    insidesOf(this.client).socket?.destroy();
  }

  /** Keeps the process alive, or not. */
  hold(alive: boolean): void {
    if (this.nodes !== undefined) return;
    const { socket } = insidesOf(this.client);
    if (alive) socket?.ref();
    else socket?.unref();
  }

  /** Ends the client without notifying the server. Idempotent. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.client.removeListener('state', this.#onState);
    this.#connected = false;
    this.#dead ??= new SessionExpiredError(this.address);
    this.#lose(new ConnectionClosedError('the client was closed'));
    if (this.nodes !== undefined) {
      // It continues for the caller.
      this.#release();
      return;
    }
    try {
      // Otherwise it would connect again.
      if (insidesOf(this.client).state > 0) this.client.close();
    } catch {
      // It has no socket yet, and will not connect again either.
    }
    this.cut();
  }

  /** The client does not pause after a connection that a server accepts and closes. */
  #connecting(connect: () => void): void {
    if (this.#stopped) {
      if (this.nodes !== undefined) connect();
      return;
    }
    const { clock } = this.#runtime;
    this.#short = clock.now() - this.#openedAt < shortLife ? this.#short + 1 : 0;
    const pause =
      this.#short < 2
        ? 0
        : Math.min(firstPause * 2 ** (this.#short - 2), longestPause) * (0.5 + this.#runtime.random() / 2);
    const dial = (): void => {
      if (!this.#stopped || this.nodes !== undefined) connect();
    };
    if (pause === 0) dial();
    else this.#runtime.setTimer(dial, pause, false);
  }

  #enter(name: string): void {
    this.#connected = name === 'SYNC_CONNECTED';
    if (name === 'EXPIRED') this.#dead = new SessionExpiredError(this.address);
    if (name === 'AUTH_FAILED') this.#dead = new AuthFailedError(this.address, undefined);
    if (!this.#connected) this.#lose(this.#dead ?? new ConnectionClosedError('the client has lost its connection'));
    for (const changed of this.#changes) changed();
  }

  #lose(cause: Error): void {
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.lost(cause);
  }

  #until(within: number, signal: AbortSignal, reached: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const { address } = this;
      const end = (error?: Error): void => {
        this.#runtime.clearTimer(timer);
        signal.removeEventListener('abort', abort);
        this.#changes.delete(look);
        if (error === undefined) resolve();
        else reject(error);
      };
      const abort = (): void => end(new ConnectError(address, 'given up', signal.reason));
      const look = (): void => {
        try {
          if (reached()) end();
        } catch (error) {
          end(error as Error);
        }
      };
      const timer = this.#runtime.setTimer(() => end(new SilentServerError(address, within)), within, false);
      this.#changes.add(look);
      signal.addEventListener('abort', abort);
      if (signal.aborted) abort();
      else look();
    });
  }
}
