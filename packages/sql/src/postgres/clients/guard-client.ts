import type { Socket } from 'node:net';
import { misconfigured } from '@locks/core/adapter';
import type { Client } from 'pg';
import { guardStream } from './whole-messages.ts';

/** The members of a `pg` client that read what the server sends, through TLS if used. */
interface Wired {
  on(event: 'error', listener: () => void): unknown;
  readonly connection: { readonly stream: unknown; attachListeners(stream: Socket): void };
}

const guarded = new WeakSet<object>();

/**
 * Ensures that no data of a server causes an exception outside of any promise. Call it before the
 * client connects; repeated calls do nothing.
 */
export function guardClient(client: object): void {
  if (guarded.has(client)) return;
  guarded.add(client);
  const wired = client as Wired;
  // While connecting, `pg` emits errors here, too.
  wired.on('error', () => {});
  const { connection } = wired;
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream) => {
    guardStream(stream);
    attach(stream);
  };
}

/**
 * `Base`, whose clients are guarded. A client throws `LOCK_MISCONFIGURED` if its library is too old
 * for a function as option `stream`.
 */
export function guardedClient(Base: typeof Client): typeof Client {
  return class extends Base {
    constructor(options?: ConstructorParameters<typeof Client>[0]) {
      super(options);
      // Before 8.9 it accepted only sockets. npm installs any version beside this package.
      if (typeof (this as unknown as Wired).connection.stream === 'function')
        throw misconfigured('@locks/sql', 'the version of pg that is installed is too old. Run: npm install pg@latest');
      guardClient(this);
    }
  };
}
