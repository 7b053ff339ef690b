/**
 * The server sent bytes that are not ZooKeeper's protocol, or that it may not send now. Ends the
 * connection.
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}
