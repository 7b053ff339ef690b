import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { PgSession } from './connection.ts';

/** How long the request may take, in ms: later it is of no use. */
const patience = 2_000;

/** What tells the server that a connection is for a cancel request. */
const cancelRequest = 80_877_102;

/** Ends what `connection` is doing, on the server too, and the connection. */
export function abandon(connection: PgSession): void {
  cancel(connection);
  // By a reset: what the server has not read yet it must not execute.
  reset(connection.connection.stream);
}

/** Whether the server has ended `connection`, as far as its socket tells: not each one does. */
export function isOver({ connection }: Partial<PgSession>): boolean {
  const { readable } = (connection?.stream ?? {}) as Partial<Socket>;
  return readable === false;
}

/** Ends `connection` in order, without waiting for its end. */
export function end(connection: PgSession): void {
  // Its server may never answer.
  connection.connection.stream.unref();
  connection.end().catch(() => {});
}

/**
 * A statement that waits for a row does not notice that its client has gone. The request goes over
 * a connection of its own, without encryption: it holds nothing but a number that is of no use
 * afterwards.
 */
function cancel({ host, port, processID, secretKey }: PgSession): void {
  if (processID === null || secretKey === null) return;
  const message = Buffer.alloc(16);
  message.writeInt32BE(16, 0);
  message.writeInt32BE(cancelRequest, 4);
  message.writeInt32BE(processID, 8);
  message.writeInt32BE(secretKey, 12);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect({ host, port });
  socket.unref();
  socket.on('error', () => {});
  socket.setTimeout(patience, () => socket.destroy());
  socket.once('connect', () => socket.end(message));
  socket.resume();
}

function reset(stream: Socket): void {
  try {
    stream.resetAndDestroy();
  } catch {
    // Of TLS and of a Unix socket there is no reset.
    stream.destroy();
  }
}
