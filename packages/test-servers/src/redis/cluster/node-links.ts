import { linkMembers } from '../../support/member-links.ts';
import type { MemberLinks } from '../../support/member-links.ts';

/** The real ports of a node, and those announced to the others. */
export interface NodePorts {
  readonly port: number;
  readonly busPort: number;
  readonly announcedPort: number;
  readonly announcedBusPort: number;
}

/**
 * Puts two relays in front of each node: for clients and replicas, and for the bus. `ids`: the
 * nodes' own, in the order of `nodes`.
 */
export async function linkNodes(nodes: readonly NodePorts[], ids: readonly string[]): Promise<MemberLinks> {
  /** Each message of the bus contains the name of its sender. */
  const busSender = (piece: Buffer): number => ids.indexOf(piece.toString('latin1', 40, 80));
  /** A replica reports its port to its master. */
  const replicaSender = (piece: Buffer): number => {
    const port = Number(/listening-port\r\n\$\d+\r\n(\d+)/.exec(piece.toString('latin1'))?.[1]);
    return nodes.findIndex((node) => node.port === port || node.announcedPort === port);
  };
  return await linkMembers(
    nodes.flatMap(({ port, busPort, announcedPort, announcedBusPort }, to) => [
      { to, target: port, port: announcedPort, senderOf: replicaSender },
      { to, target: busPort, port: announcedBusPort, senderOf: busSender },
    ]),
  );
}
