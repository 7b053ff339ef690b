import type { Socket } from 'node:net';
import { type Client, type Exception, type Option, State, createClient } from 'node-zookeeper-client';

/**
 * The parts of `node-zookeeper-client` that a test must reach to end it, or to bring it where it
 * would be after years.
 */
export interface Insides {
  readonly connectionManager: {
    readonly socket?: Socket;
    servers: readonly { readonly host: string; readonly port: number | string }[];
    xid: number;
    state: number;
  };
}

/**
 * The client that this package could have been built on, shown in the situations that matter to
 * locks.
 */
export interface OldClient extends Disposable {
  readonly client: Client;
  readonly insides: Insides['connectionManager'];
  /** Its name for its state. */
  readonly state: string;
  /** How often it has connected. */
  readonly connects: number;
}

const closing = -1;

/** Connects to the first of `addresses` first. */
export function openOld(
  addresses: readonly { readonly host: string; readonly port: number }[],
  options: Partial<Option> = {},
): OldClient {
  const client = createClient(addresses.map(({ host, port }) => `${host}:${port}`).join(','), {
    sessionTimeout: 3_000,
    spinDelay: 20,
    ...options,
  });
  const insides = (client as unknown as Insides).connectionManager;
  // It had shuffled them.
  insides.servers = addresses;
  let connects = 0;
  client.on('connected', () => (connects += 1));
  return {
    client,
    insides,
    get state() {
      return client.getState().name;
    },
    get connects() {
      return connects;
    },
    [Symbol.dispose]() {
      // close() does not work in every state.
      insides.state = closing;
      insides.socket?.destroy();
    },
  };
}

/** One that is connected. */
export async function connectOld(
  addresses: readonly { readonly host: string; readonly port: number }[],
  options: Partial<Option> = {},
): Promise<OldClient> {
  const old = openOld(addresses, options);
  const connected = new Promise<void>((resolve) => old.client.once('connected', resolve));
  old.client.connect();
  await connected;
  return old;
}

/** What it calls a session that it believes to have. */
export const believesConnected: string = State.SYNC_CONNECTED.name;

/** The value that a callback is called with. */
export function called<T>(run: (callback: (error: Error | Exception | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    run((error, value) => {
      if (error === null) resolve(value);
      else reject(new Error(String(error), { cause: error }));
    });
  });
}
