import type { Socket } from 'node:net';
import { misconfigured } from '@locks/core/adapter';
import type { Client } from 'pg';
import { guardStream } from './whole-messages.ts';

/** The part of a client of `pg` that reads what the server sends, through TLS where it has that. */
interface Wired {
  on(event: 'error', listener: () => void): unknown;
  readonly connection: { readonly stream: unknown; attachListeners(stream: Socket): void };
}

const guarded = new WeakSet<object>();

/**
 * Sees to it that no byte of a server is an exception outside of any promise. Called for a client
 * that has not connected yet; another call does nothing.
 */
export function guardClient(client: object): void {
  if (guarded.has(client)) return;
  guarded.add(client);
  const wired = client as Wired;
  // What goes wrong while it connects, `pg` emits here too.
  wired.on('error', () => {});
  const { connection } = wired;
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream) => {
    guardStream(stream);
    attach(stream);
  };
}

/**
 * `Base`, each of which is guarded. A client throws `LOCK_MISCONFIGURED` where its library is too
 * old for an option `stream` that makes a socket.
 */
export function guardedClient(Base: typeof Client): typeof Client {
  return class extends Base {
    constructor(options?: ConstructorParameters<typeof Client>[0]) {
      super(options);
      // Before 8.9 it took sockets alone. npm installs any version beside this package.
      if (typeof (this as unknown as Wired).connection.stream === 'function')
        throw misconfigured('@locks/sql', 'the version of pg that is installed is too old. Run: npm install pg@latest');
      guardClient(this);
    }
  };
}
