import type { Socket } from 'node:net';
import type { Client } from 'pg';
import { guardStream } from './whole-messages.ts';

/** The part of pg's connection that reads what the server sends, through TLS where it has that. */
interface Wire {
  attachListeners(stream: Socket): void;
}

/** `Base`, with which no byte of a server is an exception outside of any promise. */
export function guardedClient(Base: typeof Client): typeof Client {
  return class extends Base {
    constructor(options?: ConstructorParameters<typeof Client>[0]) {
      super(options);
      // What goes wrong while it connects, `pg` emits here too.
      this.on('error', () => {});
      const { connection } = this as unknown as { readonly connection: Wire };
      const attach = connection.attachListeners.bind(connection);
      connection.attachListeners = (stream) => {
        guardStream(stream);
        attach(stream);
      };
    }
  };
}
