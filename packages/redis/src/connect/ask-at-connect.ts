import { Socket } from 'node:net';
import type { ScriptClient } from '../wire/client.ts';
import type { Credentials } from './credentials.ts';

/** The members used of clients of ioredis and iovalkey. */
interface Parts {
  readonly connector: Connector;
  /** The credentials of the connection in progress, copied from the options when it began. */
  readonly condition: { auth?: unknown } | null;
  readonly options: object;
  emit(event: string, ...args: unknown[]): boolean;
  duplicate(override?: object): object;
}

interface Connector {
  /** `false` once the client was disconnected. */
  connecting: boolean;
  /** Why the stream that it returned was destroyed. */
  firstError?: unknown;
  connect(emitter: unknown): Promise<unknown>;
}

/**
 * Asks for the credentials of each connection of `client`, an own client that has not connected
 * yet, and of its duplicates. The libraries read a client's options at each connection, but
 * synchronously.
 */
export function askAtConnect(client: object, credentials: Credentials): void {
  const parts = client as Parts;
  const { connector } = parts;
  const connect = connector.connect.bind(connector);
  const duplicate = parts.duplicate.bind(parts);
  const emit = parts.emit.bind(parts);
  parts.emit = (event, ...args) =>
    event === 'error' ? emit(event, credentials.explain(args[0] as Error)) : emit(event, ...args);
  connector.connect = async (emitter) => {
    connector.connecting = true;
    try {
      const { tls, ...shown } = await credentials.ask();
      if (!connector.connecting) throw new Error('Connection is closed.');
      Object.assign(parts.options, shown, tls === undefined ? {} : { tls, sentinelTLS: tls });
      const { username, password } = shown;
      if (parts.condition !== null) parts.condition.auth = username === undefined ? password : [username, password];
      return await connect(emitter);
    } catch (error) {
      if (!connector.connecting) throw error;
      // A failed connector ends the client for good. After an ended stream it retries.
      connector.firstError = error;
      return new Socket().destroy();
    }
  };
  parts.duplicate = (override) => {
    // It connects with its first command, not when created.
    const copy = duplicate({ ...override, lazyConnect: true });
    askAtConnect(copy, credentials);
    return copy;
  };
}

/**
 * The nodes of a Cluster keep commands until they are connected. These reject with the refusal of
 * the connection: see `refused` of `credentials`.
 */
export function explainReplies(client: ScriptClient, credentials: Credentials): void {
  for (const name of ['evalsha', 'eval'] as const) {
    const send = client[name].bind(client);
    client[name] = (...args) =>
      send(...args).catch((error: unknown) => {
        throw credentials.refused(error as Error);
      });
  }
}
