import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { type Direction, type Trap, type TrapOptions, type Way, createConditions } from './conditions.ts';
import { type Target, dial, dialPatiently } from './dial.ts';
import { type Link, type Rewrite, openLink } from './link.ts';

/** How much of a piece passes before the connection is cut. */
export interface CutOptions extends TrapOptions {
  /** The number of bytes. @default half of them */
  readonly bytes?: number;
}

/**
 * A TCP proxy in front of one server, with the faults of networks. Faults apply to present and
 * future connections, and may be combined; each returns what ends it.
 */
export interface Proxy extends AsyncDisposable {
  /** The address that it listens on. */
  readonly host: string;
  /** The port that it listens on. */
  readonly port: number;
  /** How many clients are connected. */
  readonly clientConnections: number;
  /**
   * How many connections to the server are open: one per client, two where requests are duplicated.
   */
  readonly serverConnections: number;
  /** `original` with the address of this proxy instead of the server's. */
  url(original: string): string;
  /** Delays this direction by `delay` ms, in order. Several delays add up. */
  delay(delay: number, direction?: Direction): () => void;
  /**
   * Nothing arrives in this direction any more, not even the end of a connection; connections stay
   * open and new ones are accepted. Ending it cuts them, as swallowed data stays lost, and resolves
   * when they are cut.
   */
  silence(direction?: Direction): () => Promise<void>;
  /** Holds this direction; the data arrives in order when this is ended. */
  hold(direction?: Direction): () => void;
  /**
   * Present connections become silent in both directions, permanently, as if a device on the way
   * had forgotten them. New ones are not affected.
   */
  strand(): void;
  /**
   * As `hold`, for present connections. A client continues over new ones meanwhile, so earlier data
   * arrives after later data, even if it has closed the connection.
   */
  stall(direction?: Direction): () => void;
  /** New connections are reset immediately. */
  refuse(): () => void;
  /**
   * For new connections, the server receives all requests a second time, over a separate
   * connection. An answer reaches the client once the server has sent both, so it must answer each
   * request. The order of the two requests is unknown. Ending it does not affect the connections to
   * the clients. Where a login answers a challenge (Postgres, MariaDB) the server rejects the
   * second connection, so nothing is executed twice.
   */
  duplicate(): () => void;
  /** Resets all connections; new ones succeed. Resolves when they are closed. */
  cut(): Promise<void>;
  /** The next piece in this direction is cut off within, and its connection with it. */
  cutMidFrame(way: Way, options?: CutOptions): Trap;
  /**
   * The next request is answered by the server, but its client gets a reset instead of the answer.
   * The first reply after it counts as the answer, so no other request may be in progress. `when`
   * is called with requests.
   */
  dropReply(options?: TrapOptions): Trap;
  /** Ends what was switched on and what was prepared; cuts all connections after a silence. */
  pass(): Promise<void>;
  /** Ends all connections and the proxy. May be called again. */
  stop(): Promise<void>;
}

/** Options of `startProxy`. */
export interface ProxyOptions {
  /**
   * Returns what passes in place of a piece, before any fault is applied. An empty one does not
   * count as a piece. @default the piece
   */
  readonly rewrite?: Rewrite;
  /**
   * How long a client waits for a server that does not listen, before it gets a reset, in ms.
   * @default 0
   */
  readonly patience?: number;
  /** The loopback port to listen on. @default a free one */
  readonly port?: number;
}

/**
 * Starts a proxy in front of `target` on a loopback port. Resolves when it listens, and rejects
 * where the port is taken.
 */
export async function startProxy(
  target: Target,
  { rewrite = (piece) => piece, patience = 0, port: wanted = 0 }: ProxyOptions = {},
): Promise<Proxy> {
  const host = '127.0.0.1';
  const conditions = createConditions();
  const links = new Set<Link>();
  const waiting = new Set<Socket>();
  const listener = await listen(host, wanted);
  const { port } = listener.address() as { readonly port: number };
  let stopped: Promise<void> | undefined;

  listener.on('connection', (client) => {
    if (conditions.refusing) {
      client.on('error', () => {});
      client.resetAndDestroy();
      return;
    }
    if (patience === 0) join(client, dial(target));
    else void joinPatiently(client);
  });

  function join(client: Socket, server: Socket): void {
    const link = openLink({ client, server, target, conditions, rewrite });
    links.add(link);
    void link.closed.then(() => links.delete(link));
  }

  async function joinPatiently(client: Socket): Promise<void> {
    client.on('error', () => {});
    waiting.add(client);
    const server = await dialPatiently(target, patience, () => !client.destroyed).catch(() => undefined);
    waiting.delete(client);
    if (server === undefined) client.resetAndDestroy();
    else if (client.destroyed) server.destroy();
    else join(client, server);
  }

  async function cut(): Promise<void> {
    const open = [...links];
    for (const link of open) link.cut();
    for (const client of waiting) client.resetAndDestroy();
    await Promise.all(open.map(({ closed }) => closed));
  }

  function flush(): void {
    for (const link of links) link.flush();
  }

  function endShadows(): void {
    for (const link of links) link.endShadow();
  }

  async function end(): Promise<void> {
    const closed = once(listener, 'close');
    listener.close();
    await cut();
    await closed;
  }

  function stop(): Promise<void> {
    stopped ??= end();
    return stopped;
  }

  return {
    host,
    port,
    get clientConnections() {
      return waiting.size + [...links].filter(({ clientOpen }) => clientOpen).length;
    },
    get serverConnections() {
      return [...links].reduce((sum, { serverConnections }) => sum + serverConnections, 0);
    },
    url(original) {
      const url = new URL(original);
      url.hostname = host;
      url.port = `${port}`;
      return url.href;
    },
    delay(delay, direction = 'both') {
      const over = conditions.add({ kind: 'delay', direction, delay });
      return () => void over();
    },
    silence(direction = 'both') {
      const over = conditions.add({ kind: 'silence', direction });
      return async () => {
        if (over()) await cut();
      };
    },
    hold(direction = 'both') {
      const over = conditions.add({ kind: 'hold', direction });
      return () => {
        if (over()) flush();
      };
    },
    strand() {
      for (const link of links) link.strand();
    },
    stall(direction = 'both') {
      const stalled = [...links].map((link) => link.stall(direction));
      return () => {
        for (const deliver of stalled) deliver();
      };
    },
    refuse() {
      const over = conditions.add({ kind: 'refuse' });
      return () => void over();
    },
    duplicate() {
      const over = conditions.add({ kind: 'duplicate' });
      return () => {
        over();
        if (!conditions.duplicating) endShadows();
      };
    },
    cut,
    cutMidFrame: (way, options = {}) => conditions.set('cut', way, options),
    dropReply: (options = {}) => conditions.set('drop', 'requests', options),
    async pass() {
      const lossy = conditions.silent('requests') || conditions.silent('replies');
      conditions.clear();
      for (const link of links) link.pass();
      endShadows();
      if (lossy) await cut();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function listen(host: string, port: number): Promise<Server> {
  const listener = createServer({ allowHalfOpen: true, noDelay: true });
  listener.listen(port, host);
  await once(listener, 'listening');
  return listener;
}
