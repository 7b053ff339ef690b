import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';

const host = '127.0.0.1';

/** The real ports of a node, and those that the others are told of. */
export interface NodePorts {
  readonly port: number;
  readonly busPort: number;
  readonly announcedPort: number;
  readonly announcedBusPort: number;
}

/** The connections between nodes: each node is behind two relays, for clients and for the bus. */
export interface NodeLinks {
  /** Tells what the nodes call themselves, in the order of their ports. */
  name(ids: readonly string[]): void;
  /**
   * Nothing passes between these nodes and the others any more, without a sign: neither messages of
   * the bus nor copies for replicas. Clients reach all of them. Returns what ends it.
   */
  cutOff(nodes: readonly number[]): () => void;
  stop(): Promise<void>;
}

interface Link {
  /** The node that has opened it; `undefined` of a client, or before it has said something. */
  from: number | undefined;
  readonly to: number;
  readonly sockets: readonly [Socket, Socket];
  /** Something was swallowed: it cannot be used again. */
  broken: boolean;
}

/** Puts relays in front of all `nodes`, which need not run yet. */
export async function linkNodes(nodes: readonly NodePorts[]): Promise<NodeLinks> {
  const links = new Set<Link>();
  let ids: readonly string[] = [];
  let cut: ReadonlySet<number> = new Set();

  function relay(to: number, target: number, port: number, senderOf: (piece: Buffer) => number): Promise<Server> {
    const server = createServer((front) => {
      const back = connect(target, host);
      const link: Link = { from: undefined, to, sockets: [front, back], broken: false };
      links.add(link);
      for (const [socket, other] of [
        [front, back],
        [back, front],
      ] as const) {
        socket.setNoDelay();
        socket.on('error', () => {});
        socket.on('close', () => {
          links.delete(link);
          other.destroy();
        });
        socket.on('data', (piece: Buffer) => {
          if (socket === front && link.from === undefined) {
            const sender = senderOf(piece);
            if (sender >= 0) link.from = sender;
          }
          link.broken ||= link.from !== undefined && cut.has(link.from) !== cut.has(to);
          if (!link.broken) other.write(piece);
        });
      }
    });
    server.listen(port, host);
    return once(server, 'listening').then(() => server);
  }

  /** Each message of the bus has the name of its sender. */
  const busSender = (piece: Buffer): number => ids.indexOf(piece.toString('latin1', 40, 80));
  /** A replica tells its master where it listens. */
  const replicaSender = (piece: Buffer): number => {
    const port = Number(/listening-port\r\n\$\d+\r\n(\d+)/.exec(piece.toString('latin1'))?.[1]);
    return nodes.findIndex((node) => node.port === port || node.announcedPort === port);
  };
  const servers = await Promise.all(
    nodes.flatMap(({ port, busPort, announcedPort, announcedBusPort }, to) => [
      relay(to, port, announcedPort, replicaSender),
      relay(to, busPort, announcedBusPort, busSender),
    ]),
  );
  const destroy = (some: readonly Link[]): void => {
    for (const link of some) for (const socket of link.sockets) socket.destroy();
  };
  return {
    name: (names) => void (ids = names),
    cutOff(some) {
      cut = new Set(some);
      return () => {
        cut = new Set();
        destroy([...links].filter(({ broken }) => broken));
      };
    },
    async stop() {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
      destroy([...links]);
      await Promise.all(closed);
    },
  };
}
