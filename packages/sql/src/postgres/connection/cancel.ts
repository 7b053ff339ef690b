import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { PgSession } from './connection.ts';

/** Time limit of the request, in ms: later it is useless. */
const patience = 2_000;

/** The protocol number of a cancel request. */
const cancelRequest = 80_877_102;

/** Cancels the work of `connection`, on the server too, and closes it. */
export function abandon(connection: PgSession): void {
  cancel(connection);
  // By a reset: the server must not execute what it has not read yet.
  reset(connection.connection.stream);
}

/** Whether the server has closed `connection`, as far as its socket shows: not every one does. */
export function isOver({ connection }: Partial<PgSession>): boolean {
  const { readable } = (connection?.stream ?? {}) as Partial<Socket>;
  return readable === false;
}

/** Closes `connection` gracefully, without waiting. */
export function end(connection: PgSession): void {
  // Its server may never answer.
  connection.connection.stream.unref();
  connection.end().catch(() => {});
}

/**
 * A statement that waits for a row does not notice that its client has gone. The request uses a
 * separate connection, unencrypted: it contains only a number that is useless afterwards.
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
    // TLS and Unix sockets have no reset.
    stream.destroy();
  }
}
