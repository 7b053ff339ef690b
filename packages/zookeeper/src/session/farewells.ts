import type { Runtime } from '@locks/core/adapter';
import type { ConnectionParts } from '../connection/connect.ts';
import type { Connection } from '../connection/connection.ts';
import { endSession } from '../connection/end-session.ts';
import { ConnectionClosedError } from '../connection/errors.ts';
import { closeSession } from '../wire/session-requests.ts';
import { pause } from './pause.ts';
import type { Rotation } from './rotation.ts';

/** A session that this process does not rely on any more. */
export interface OldSession {
  readonly id: bigint;
  readonly password: Buffer;
}

/** What is needed to reach a server for a farewell. */
export interface FarewellParts {
  readonly runtime: Runtime;
  readonly rotation: Rotation;
  readonly connecting: Pick<ConnectionParts, 'tls' | 'sessionTimeout'>;
}

/**
 * Ends sessions that were given up, at the first server that can be reached: until then, or until the servers end them by themselves,
 * their nodes block others.
 */
export class Farewells {
  readonly #parts: FarewellParts;
  readonly #over: AbortController = new AbortController();
  #work: Promise<void> | undefined;
  /** The last ones, which somebody waits for. */
  #finishing = false;

  constructor(parts: FarewellParts) {
    this.#parts = parts;
  }

  /** @param connection Its last one, if that is open. */
  add(session: OldSession, connection: Connection | undefined): void {
    this.#work = Promise.all([this.#work, this.#bid(session, connection)]).then(() => {});
  }

  /** Goes on for at most `within` ms; nothing is left of it then. */
  async finish(within: number): Promise<void> {
    this.#finishing = true;
    const { runtime } = this.#parts;
    const timer = runtime.setTimer(() => this.#over.abort(), within, true);
    await this.#work;
    runtime.clearTimer(timer);
    this.#over.abort();
  }

  async #bid(session: OldSession, last: Connection | undefined): Promise<void> {
    const { connecting, rotation, runtime } = this.#parts;
    const { signal } = this.#over;
    let ended = last !== undefined && (await this.#end(last));
    while (!ended && !signal.aborted) {
      try {
        await endSession({
          ...connecting,
          address: rotation.next(),
          session,
          within: rotation.patience(connecting.sessionTimeout),
          background: !this.#finishing,
          signal,
          runtime,
        });
        ended = true;
      } catch {
        rotation.failed();
        await pause(runtime, rotation.pause(), signal);
      }
    }
    rotation.worked();
  }

  /** Whether the server has confirmed it. */
  async #end(connection: Connection): Promise<boolean> {
    const { connecting, runtime } = this.#parts;
    const destroy = (): void => connection.destroy(new ConnectionClosedError('the session was ended'));
    const { signal } = this.#over;
    signal.addEventListener('abort', destroy);
    const timer = runtime.setTimer(destroy, connecting.sessionTimeout / 9, false);
    const answer = connection.send(closeSession, { background: !this.#finishing });
    const confirmed = await answer.then(
      () => true,
      () => false,
    );
    runtime.clearTimer(timer);
    signal.removeEventListener('abort', destroy);
    destroy();
    return confirmed;
  }
}
