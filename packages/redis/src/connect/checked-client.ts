import { longestTrusted, settledWithin, socketsHeard } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { ScriptClient } from '../wire/client.ts';
import { isOver } from './is-over.ts';
import type { Connecting, OwnClient, OwnClusterClient } from './own-client.ts';

/**
 * A command waits so long for the first connection after a lost one, in ms. With more, each call
 * hangs for longer in an outage. Clients try again after 50 ms.
 */
const patience = 1_000;

/** When a client may have become ready, or not. A Cluster drops nodes without a connection. */
const news = ['ready', 'error', 'end', '-node'] as const;

type AnyOwnClient = ScriptClient & Connecting;

// The arguments of a class that is extended must be `any`.
// oxlint-disable-next-line typescript/no-explicit-any
type ClassOf<Client> = new (...args: any[]) => Client;

/**
 * `Base`, whose scripts wait until the client knows whether its connection is there. This process
 * may have stood still, and the event loop hears that a connection has ended only when it looks at
 * its sockets again. What comes after that goes over the next connection.
 */
export function checked<Client extends AnyOwnClient>(Base: ClassOf<Client>, runtime: Runtime): ClassOf<Client> {
  const OwnBase = Base as ClassOf<AnyOwnClient>;
  class CheckedClient extends OwnBase {
    readonly #sends = new CheckedSends(this, runtime);

    override evalsha(...args: Parameters<AnyOwnClient['evalsha']>): Promise<unknown> {
      return this.#sends.send(() => super.evalsha(...args));
    }

    override eval(...args: Parameters<AnyOwnClient['eval']>): Promise<unknown> {
      return this.#sends.send(() => super.eval(...args));
    }
  }
  return CheckedClient as unknown as ClassOf<Client>;
}

/** Sends in the order of the calls, at once or after a look at the connection. */
export class CheckedSends {
  readonly #client: AnyOwnClient;
  readonly #runtime: Runtime;
  #sentAt = -Infinity;
  /** What waits for the look that is under way. */
  #waiting: (() => void)[] | undefined = undefined;
  /** The client was ready since the last wait for it that was in vain. */
  #expected = false;
  readonly #heard: () => Promise<void>;

  /** `heard` resolves once the client, or its socket, has heard that its connection has ended. */
  constructor(client: AnyOwnClient, runtime: Runtime, heard: () => Promise<void> = socketsHeard) {
    this.#client = client;
    this.#runtime = runtime;
    this.#heard = heard;
    client.on('ready', () => (this.#expected = true));
    client.on('error', () => {
      if (client.status === 'connecting') this.#expected = false;
    });
  }

  send(command: () => Promise<unknown>): Promise<unknown> {
    const now = this.#runtime.clock.now();
    if (this.#waiting === undefined) {
      const trusted = this.#client.status === 'ready' ? now - this.#sentAt < longestTrusted : !this.#expected;
      if (trusted) {
        this.#sentAt = now;
        return command();
      }
      this.#waiting = [];
      void this.#look();
    }
    const waiting = this.#waiting;
    return new Promise((resolve) => waiting.push(() => resolve(command())));
  }

  async #look(): Promise<void> {
    await this.#heard();
    if (!isReady(this.#client) && this.#expected) {
      await this.#untilReady();
      await settledWithin(this.#runtime, patience, reachNodes(this.#client));
    }
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    this.#sentAt = this.#runtime.clock.now();
    for (const send of waiting) send();
  }

  /** Until the client is ready again, its attempt has failed, or it has had its time. */
  async #untilReady(): Promise<void> {
    const client = this.#client;
    let look = (): void => {};
    const known = new Promise<void>((resolve) => {
      look = () => {
        if (isReady(client) || client.status === 'end' || !this.#expected) resolve();
      };
    });
    for (const event of news) client.on(event, look);
    look();
    await settledWithin(this.#runtime, patience, known);
    for (const event of news) client.off(event, look);
    if (!isReady(client)) this.#expected = false;
  }
}

/** A client hears of an end some turns of the loop after its socket. */
function isReady(client: AnyOwnClient): boolean {
  if (client.status !== 'ready') return false;
  const { stream, nodes } = client as Partial<OwnClient & OwnClusterClient>;
  const streams = nodes === undefined ? [stream] : nodes.call(client, 'all').map((node) => node.stream);
  return streams.length > 0 && !streams.some(isOver);
}

/** A node without a connection takes the first command, and refuses others until it has one. */
export async function reachNodes(client: AnyOwnClient): Promise<void> {
  const { nodes } = client as Partial<OwnClusterClient>;
  await Promise.all(nodes?.call(client, 'master').map((node) => node.ping()) ?? []);
}
