import type { Socket } from 'node:net';

/** The part of a connection of mysql2 that reads what the server sends. */
interface Wire extends NodeJS.EventEmitter {
  handlePacket(packet?: object): void;
  readonly stream: Socket;
}

const guarded = new WeakSet<object>();

/**
 * Sees to it that no byte of a server is an exception outside of any promise. mysql2 throws while
 * it reads, and emits more errors than its pool listens for. Called for a connection that has read
 * nothing yet; another call does nothing.
 */
export function guardConnection(given: object): void {
  if (guarded.has(given)) return;
  guarded.add(given);
  const connection = given as Wire;
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
