import type { Socket } from 'node:net';

/** The members of a mysql2 connection that read what the server sends. */
interface Wire extends NodeJS.EventEmitter {
  handlePacket(packet?: object): void;
  readonly stream: Socket;
}

const guarded = new WeakSet<object>();

/**
 * Ensures that no data of a server causes an exception outside of any promise. mysql2 throws while
 * it reads, and emits more errors than its pool listens for. Call it before the connection reads;
 * repeated calls do nothing.
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
