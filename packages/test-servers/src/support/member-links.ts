import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

const host = '127.0.0.1';

/** What stands before one port of a member. */
export interface Relay {
  /** The member whose port it is. */
  readonly to: number;
  readonly target: number;
  /** Where it listens. @default a free port */
  readonly port?: number;
  /** The member that has opened a connection, by what it sends; -1: this does not tell. */
  readonly senderOf: (piece: Buffer) => number;
  /** Only members connect here: one that has not sent its name is isolated from `to`, too. */
  readonly membersOnly?: boolean;
}

/** The connections between the members of a cluster, each of which goes through this process. */
export interface MemberLinks {
  /** Where the relays listen, in their order. */
  readonly ports: readonly number[];
  /**
   * Drops everything between these members and the others. Clients reach all of them. Returns a
   * function that ends it.
   */
  cutOff(members: readonly number[]): () => void;
  stop(): Promise<void>;
}

interface Link {
  readonly sockets: readonly [Socket, Socket];
  /** The member that has opened it: -1 if unknown. */
  from: number;
  /** Something was dropped: it cannot be used again. */
  broken: boolean;
}

/** Starts `relays`, whose members need not run yet. */
export async function linkMembers(relays: readonly Relay[]): Promise<MemberLinks> {
  const links = new Set<Link>();
  const cuts = new Set<ReadonlySet<number>>();

  async function start({ to, target, port = 0, senderOf, membersOnly = false }: Relay): Promise<Server> {
    const server = createServer((front) => {
      const back = connect(target, host);
      const link: Link = { sockets: [front, back], from: -1, broken: false };
      links.add(link);
      for (const [socket, other] of [link.sockets, [back, front]] as const) {
        socket.setNoDelay();
        socket.on('error', () => {});
        socket.on('close', () => {
          links.delete(link);
          other.destroy();
        });
        socket.on('data', (piece: Buffer) => {
          if (socket === front && link.from < 0) link.from = senderOf(piece);
          const isMember = membersOnly || link.from >= 0;
          link.broken ||= isMember && [...cuts].some((cut) => cut.has(link.from) !== cut.has(to));
          if (!link.broken) other.write(piece);
        });
      }
    });
    server.listen(port, host);
    await once(server, 'listening');
    return server;
  }

  const servers = await Promise.all(relays.map(start));
  const destroy = (some: readonly Link[]): void => {
    for (const { sockets } of some) for (const socket of sockets) socket.destroy();
  };
  return {
    ports: servers.map((server) => (server.address() as AddressInfo).port),
    cutOff(members) {
      const cut = new Set(members);
      cuts.add(cut);
      return () => {
        cuts.delete(cut);
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
