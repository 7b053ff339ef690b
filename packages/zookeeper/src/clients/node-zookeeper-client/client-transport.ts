import type { Runtime } from '@locks/core/adapter';
import { SessionExpiredError, ConnectionClosedError, SilentServerError } from '../../connection/errors.ts';
import { unansweredError } from '../../connection/request-errors.ts';
import type { ConnectAttempt, ConnectingSession, NewConnection } from '../../servers/connector.ts';
import { Refusals } from '../../servers/refusals.ts';
import { Rotation } from '../../servers/rotation.ts';
import { serverMode } from '../../servers/server-mode.ts';
import type { Transport } from '../../servers/transport.ts';
import { UnusableServerError } from '../../servers/voting-server.ts';
import type { WatchEvent } from '../../wire/records.ts';
import { ClientConnection } from './client-connection.ts';
import { ClientEnding } from './client-ending.ts';
import { readClient, wrongClient } from './client.ts';
import type { NodeZookeeperClient } from './client.ts';
import { insidesOf } from './insides.ts';
import { ManagedClient } from './managed-client.ts';

/** In ms, until a client has told its own: the client's default. */
const sessionTimeout = 30_000;

/** The client chooses the server, so one stands for all. */
const anyServer = { host: 'the servers of the client', port: 0 };

/** Connections of clients that `make` gives, each for one session. */
export function clientTransport(make: () => unknown, runtime: Runtime): Transport {
  const rotation = new Rotation([anyServer], runtime);
  const refusals = new Refusals([anyServer], runtime);
  const used = new WeakSet<NodeZookeeperClient>();
  const clients = new Map<bigint, { readonly managed: ManagedClient; session: ConnectingSession | undefined }>();

  async function connect({ resumed, signal }: ConnectAttempt): Promise<NewConnection> {
    const entry = resumed === undefined ? begin() : clients.get(resumed.id);
    if (entry === undefined) throw new SessionExpiredError(anyServer);
    const { managed } = entry;
    const left = resumed === undefined ? Infinity : resumed.deadline - runtime.clock.now();
    const timeout = managed.client.getSessionTimeout();
    try {
      await managed.whenConnected(rotation.patience(timeout, left), signal);
      return await connection(entry, resumed?.lastZxid ?? 0n, signal);
    } catch (error) {
      // It never had a session, or another attempt goes on with its session.
      if (resumed === undefined) managed.stop();
      else if (error instanceof SilentServerError) managed.cut();
      throw error;
    }
  }

  function begin(): { readonly managed: ManagedClient; session: ConnectingSession | undefined } {
    const client = readClient(make());
    if (used.has(client))
      throw wrongClient(
        'gives the same client again: write client: () => createClient(…), which makes one for each session',
      );
    used.add(client);
    if (insidesOf(client).state !== 0)
      throw wrongClient('gives a client that is connecting, connected or closed: leave out its connect()');
    const fire = (event: WatchEvent): void => entry.session?.watches.fire(event);
    const entry = {
      managed: new ManagedClient(client, runtime, fire),
      session: undefined as ConnectingSession | undefined,
    };
    client.connect();
    return entry;
  }

  async function connection(
    entry: { readonly managed: ManagedClient; session: ConnectingSession | undefined },
    lastZxid: bigint,
    signal: AbortSignal,
  ): Promise<NewConnection> {
    const { managed } = entry;
    let onEnd: (cause: Error) => void = () => {};
    const opened = new ClientConnection({
      managed,
      openedAt: managed.openedAt,
      lastZxid,
      runtime,
      fire: (event) => entry.session?.watches.fire(event),
      onEnd: (cause) => onEnd(cause),
    });
    clients.set(opened.session.id, entry);
    const { address } = opened;
    if (!refusals.knows(address)) {
      const mode = await serverMode(address, { within: opened.session.timeout / 9, signal, runtime });
      if (mode === 'observer' || mode === 'read-only') {
        const unusable = new UnusableServerError(address, mode);
        opened.destroy(unusable);
        throw unusable;
      }
      refusals.accepted(address);
    }
    return {
      connection: opened,
      handOver(session, ended) {
        if (opened.ended) throw new ConnectionClosedError('the server closed the connection at once');
        entry.session = session;
        onEnd = ended;
      },
    };
  }

  return {
    servers: 'the servers of the client',
    alternatives: true,
    sessionTimeout,
    rotation,
    refusals,
    ending: new ClientEnding(runtime, (id) => {
      const managed = clients.get(id)?.managed;
      clients.delete(id);
      return managed;
    }),
    connect,
    async separately(signal, read) {
      const { connection: separate } = await connect({ resumed: undefined, background: false, signal }).catch(
        (error: unknown) => {
          throw unansweredError('a connection of its own for a list', error as Error);
        },
      );
      const destroy = (): void => separate.destroy(signal.reason as Error);
      signal.addEventListener('abort', destroy);
      try {
        return await read({
          send: (request) =>
            separate.send(request).catch((error: unknown) => {
              throw unansweredError(request.what, error as Error);
            }),
        });
      } finally {
        clients.delete(separate.session.id);
        await separate.end(separate.session.timeout / 3);
        signal.removeEventListener('abort', destroy);
      }
    },
  };
}
