import { pause } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { SessionExpiredError, ConnectionClosedError, SilentServerError } from '../../connection/errors.ts';
import type { Connection } from '../../connection/connection.ts';
import { disconnectedError } from '../../connection/request-errors.ts';
import { notSeparate, readOver, senderOf } from '../../servers/separate-connection.ts';
import { pingGap } from '../../session/proof.ts';
import { sync } from '../../wire/requests.ts';
import type { ConnectAttempt, NewConnection } from '../../servers/connector.ts';
import { Refusals } from '../../servers/refusals.ts';
import { Rotation } from '../../servers/rotation.ts';
import { serverMode } from '../../servers/server-mode.ts';
import type { Transport } from '../../servers/transport.ts';
import { UnusableServerError } from '../../servers/voting-server.ts';
import type { WatchEvent } from '../../wire/records.ts';
import { ClientConnection } from './client-connection.ts';
import { clientEnding } from './client-ending.ts';
import type { ClientSession, ClientSessions } from './client-ending.ts';
import { readClient, wrongClient } from './client.ts';
import type { NodeZookeeperClient } from './client.ts';
import { insidesOf } from './insides.ts';
import { ManagedClient } from './managed-client.ts';

/** In ms, until a client reports its own: the client's default. */
const sessionTimeout = 30_000;

/** The client chooses the server, so one stands for all. */
const anyServer = { host: 'the servers of the client', port: 0 };

/**
 * Connections of clients that `given` creates, one for each session. A client instead of a function
 * is used for its one session, and belongs to the caller.
 */
export function clientTransport(given: (() => unknown) | NodeZookeeperClient, runtime: Runtime): Transport {
  const borrowed = typeof given !== 'function';
  const rotation = new Rotation([anyServer], runtime);
  const refusals = new Refusals([anyServer], runtime);
  const used = new WeakSet<NodeZookeeperClient>();
  const clients: ClientSessions = new Map();
  let borrowedSender: ClientConnection | undefined;

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
      // It never had a session, or another attempt resumes its session.
      if (resumed === undefined && borrowed) used.delete(managed.client);
      if (resumed === undefined) stop(managed);
      else if (error instanceof SilentServerError) managed.cut();
      throw error;
    }
  }

  function stop(managed: ManagedClient): void {
    managed.stop();
    for (const [id, entry] of clients) if (entry.managed === managed) clients.delete(id);
  }

  function begin(): ClientSession {
    for (const { managed } of clients.values()) if (managed.dead !== undefined) stop(managed);
    const client = readClient(borrowed ? given : given());
    if (borrowed && used.has(client))
      throw wrongClient(
        'is a client whose session has ended, and the provider with it: make another provider, or write client: () => createClient(…) for one session after another',
      );
    if (used.has(client))
      throw wrongClient(
        'gives the same client again: write client: () => createClient(…), which makes one for each session',
      );
    const { state } = insidesOf(client);
    if (borrowed && state === 0) throw wrongClient('is a client that does not connect: call its connect() before');
    if (borrowed && state < 0)
      throw wrongClient('is a client that was closed, or whose session has ended: give another');
    used.add(client);
    if (!borrowed && state !== 0)
      throw wrongClient('gives a client that is connecting, connected or closed: leave out its connect()');
    const fire = (event: WatchEvent): void => entry.session?.watches.fire(event);
    const entry: ClientSession = { managed: new ManagedClient(client, runtime, fire, borrowed), session: undefined };
    if (!borrowed) client.connect();
    return entry;
  }

  async function connection(entry: ClientSession, lastZxid: bigint, signal: AbortSignal): Promise<NewConnection> {
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
    if (opened.openedAt === Number.NEGATIVE_INFINITY) opened.openedAt = await prove(opened, runtime, signal);
    borrowedSender = opened;
    const { address } = opened;
    if (!refusals.knows(address)) {
      const mode = await serverMode({ address, within: opened.session.timeout / 9, signal, runtime });
      if (mode === 'observer' || mode === 'read-only') {
        const unusable = new UnusableServerError(address, mode);
        opened.destroy(unusable);
        throw unusable;
      }
      refusals.accepted(address);
    }
    return {
      connection: opened,
      transfer(session, ended) {
        if (opened.ended) throw new ConnectionClosedError('the server closed the connection immediately');
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
    ending: clientEnding(runtime, clients),
    connect,
    async separately(signal, read) {
      if (borrowed) {
        if (borrowedSender === undefined) throw disconnectedError('a list', undefined);
        return await read(senderOf(borrowedSender));
      }
      const attempt = { resumed: undefined, background: false, signal };
      const { connection: separate } = await connect(attempt).catch((error: unknown) => {
        throw notSeparate(error);
      });
      try {
        return await readOver(separate, signal, read);
      } finally {
        clients.delete(separate.session.id);
      }
    },
  };
}

/**
 * When the session of a previously connected client was certainly alive, by the runtime's clock:
 * three requests, as `Proof` explains. Takes a third of the session timeout.
 */
async function prove(connection: Connection, runtime: Runtime, signal: AbortSignal): Promise<number> {
  const at = runtime.clock.exact();
  const write = async (): Promise<void> => {
    const answer = await connection.send(sync('/'));
    if (!answer.ok) throw new Error(`ZooKeeper refused a request of the client: ${answer.error}`);
  };
  await write();
  await pause(runtime, connection.session.timeout * pingGap + 1, { signal, keepAlive: false });
  await write();
  await write();
  return at;
}
