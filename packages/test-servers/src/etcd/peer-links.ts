import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** The connections between the members of a cluster, each of which goes through this process. */
export interface PeerLinks {
  /** Where the others find each member, in their order. */
  readonly ports: readonly number[];
  /**
   * Nothing passes between `member` and the others any more, without a sign. Returns what ends it.
   */
  cutOff(member: number): () => void;
  stop(): Promise<void>;
}

interface Link {
  /** The id of the member that connected, in hex, once it has told it. */
  from: string | undefined;
  readonly to: number;
  readonly sockets: readonly [Socket, Socket];
}

/**
 * A proxy before each member, whose own ports for the others are `targets`. `idOf` tells the id of
 * a member, in hex: etcd tells its own at the beginning of each connection.
 */
export async function linkMembers(targets: readonly number[], idOf: (member: number) => string): Promise<PeerLinks> {
  const links = new Set<Link>();
  const cut = new Set<number>();
  const isCut = ({ from, to }: Link): boolean =>
    cut.has(to) || (from !== undefined && [...cut].some((member) => idOf(member) === from));

  function serve(target: number, to: number): Promise<Server> {
    const server = createServer((incoming) => {
      const outgoing = connect({ host: '127.0.0.1', port: target });
      const link: Link = { from: undefined, to, sockets: [incoming, outgoing] };
      links.add(link);
      for (const [from, into] of [link.sockets, link.sockets.toReversed() as [Socket, Socket]] as const) {
        from.on('data', (piece: Buffer) => {
          if (from === incoming) link.from ??= /\r\nX-Server-From: ([\da-f]+)\r\n/i.exec(piece.toString('latin1'))?.[1];
          if (!isCut(link)) into.write(piece);
        });
        from.on('error', () => {});
        from.once('close', () => {
          links.delete(link);
          into.destroy();
        });
      }
    });
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
  }

  const servers = await Promise.all(targets.map(serve));
  return {
    ports: servers.map((server) => (server.address() as AddressInfo).port),
    cutOff(member) {
      cut.add(member);
      return () => {
        // What was lost cannot be missing in the middle.
        for (const link of links) if (isCut(link)) for (const socket of link.sockets) socket.destroy();
        cut.delete(member);
      };
    },
    async stop() {
      for (const { sockets } of links) for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
