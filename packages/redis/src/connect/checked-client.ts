import { longestTrusted, settledWithin, socketsHeard } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { ScriptClient } from '../wire/client.ts';
import { isOver } from './is-over.ts';
import type { Connecting, OwnClient, OwnClusterClient } from './own-client.ts';

/**
 * In ms: how long a command waits for the first connection after a lost one. With more, each call
 * hangs longer in an outage. Clients retry after 50 ms.
 */
const patience = 1_000;

/** Events after which a client may be ready, or not. A Cluster drops nodes without a connection. */
const news = ['ready', 'error', 'end', '-node'] as const;

type AnyOwnClient = ScriptClient & Connecting;

// The arguments of a class that is extended must be `any`.
// oxlint-disable-next-line typescript/no-explicit-any
type ClassOf<Client> = new (...args: any[]) => Client;

/**
 * `Base`, whose scripts first wait until the client knows whether its connection is alive. After a
 * pause of this process, the event loop learns that a connection has ended only when it polls its
 * sockets. Later commands use the next connection.
 */
export function checked<Client extends AnyOwnClient>(Base: ClassOf<Client>, runtime: Runtime): ClassOf<Client> {
  const OwnBase = Base as ClassOf<AnyOwnClient>;
  class CheckedClient extends OwnBase {
    readonly #send = checkedSend(this, runtime);

    override evalsha(...args: Parameters<AnyOwnClient['evalsha']>): Promise<unknown> {
      return this.#send(() => super.evalsha(...args));
    }

    override eval(...args: Parameters<AnyOwnClient['eval']>): Promise<unknown> {
      return this.#send(() => super.eval(...args));
    }
  }
  return CheckedClient as unknown as ClassOf<Client>;
}

/**
 * Sends in the order of the calls, immediately or after a check of the connection. `heard` resolves
 * once the client, or its socket, would know that its connection has ended.
 */
export function checkedSend(
  client: AnyOwnClient,
  runtime: Runtime,
  heard: () => Promise<void> = socketsHeard,
): (command: () => Promise<unknown>) => Promise<unknown> {
  let sentAt = -Infinity;
  /** The callers that wait for the check in progress. */
  let waiting: (() => void)[] | undefined;
  /** The client was ready since the last wait for it that failed. */
  let expected = false;
  client.on('ready', () => (expected = true));
  client.on('error', () => {
    if (client.status === 'connecting') expected = false;
  });

  async function look(): Promise<void> {
    await heard();
    if (!isReady(client) && expected) {
      await untilReady();
      await settledWithin(runtime, patience, reachNodes(client));
    }
    const due = waiting ?? [];
    waiting = undefined;
    sentAt = runtime.clock.now();
    for (const send of due) send();
  }

  /** Until the client is ready, its attempt has failed, or the time is up. */
  async function untilReady(): Promise<void> {
    let check = (): void => {};
    const known = new Promise<void>((resolve) => {
      check = () => {
        if (isReady(client) || client.status === 'end' || !expected) resolve();
      };
    });
    for (const event of news) client.on(event, check);
    check();
    await settledWithin(runtime, patience, known);
    for (const event of news) client.off(event, check);
    if (!isReady(client)) expected = false;
  }

  return (command) => {
    const now = runtime.clock.now();
    if (waiting === undefined) {
      const trusted = client.status === 'ready' ? now - sentAt < longestTrusted : !expected;
      if (trusted) {
        sentAt = now;
        return command();
      }
      waiting = [];
      void look();
    }
    const queue = waiting;
    return new Promise((resolve) => queue.push(() => resolve(command())));
  };
}

/** A client learns of an end some turns of the loop after its socket. */
function isReady(client: AnyOwnClient): boolean {
  if (client.status !== 'ready') return false;
  const { stream, nodes } = client as Partial<OwnClient & OwnClusterClient>;
  const streams = nodes === undefined ? [stream] : nodes.call(client, 'all').map((node) => node.stream);
  return streams.length > 0 && !streams.some(isOver);
}

/** A node without a connection accepts the first command, and refuses others until it has one. */
async function reachNodes(client: AnyOwnClient): Promise<void> {
  const { nodes } = client as Partial<OwnClusterClient>;
  await Promise.all(nodes?.call(client, 'master').map((node) => node.ping()) ?? []);
}
