import type { Socket } from 'node:net';
import type { CorePool } from '../../clients/mysql2.ts';

/** The part of a connection of mysql2 that reads what the server sends. */
interface Wire extends NodeJS.EventEmitter {
  handlePacket(packet?: object): void;
  readonly stream: Socket;
}

const guarded = new WeakSet<object>();

/**
 * Sees to it that no byte of a server is an exception outside of any promise. mysql2 throws while
 * it reads, and emits more errors than its pool listens for. Called for connections that have read
 * nothing yet.
 */
export function guardConnections({ _allConnections: all }: CorePool): void {
  for (let index = 0; index < all.length; index += 1) {
    const connection = all.get(index) as Wire;
    if (guarded.has(connection)) continue;
    guarded.add(connection);
    connection.on('error', () => {});
    const handle = connection.handlePacket.bind(connection);
    connection.handlePacket = (packet) => {
      try {
        handle(packet);
      } catch (error) {
        connection.stream.destroy(error as Error);
      }
    };
  }
}
