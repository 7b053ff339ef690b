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

/** What all connections of one session have in common. */
export type Connecting = Pick<ConnectionParts, 'runtime' | 'tls' | 'auth' | 'sessionTimeout'>;

/**
 * Ends sessions that were given up, at the first server that can be reached: until then, or until the servers end them by themselves,
 * their nodes block others.
 */
export class Farewells {
  readonly #connecting: Connecting;
  readonly #rotation: Rotation;
  readonly #over: AbortController = new AbortController();
  #work: Promise<void> | undefined;
  /** The last ones, which somebody waits for. */
  #finishing = false;

  constructor(connecting: Connecting, rotation: Rotation) {
    this.#connecting = connecting;
    this.#rotation = rotation;
  }

  /** @param connection Its last one, if that is open. */
  add(session: OldSession, connection: Connection | undefined): void {
    this.#work = Promise.all([this.#work, this.#bid(session, connection)]).then(() => {});
  }

  /** Goes on for at most `within` ms; nothing is left of it then. */
  async finish(within: number): Promise<void> {
    this.#finishing = true;
    const { runtime } = this.#connecting;
    const timer = runtime.setTimer(() => this.#over.abort(), within, true);
    await this.#work;
    runtime.clearTimer(timer);
    this.#over.abort();
  }

  async #bid(session: OldSession, last: Connection | undefined): Promise<void> {
    const { runtime, tls, sessionTimeout } = this.#connecting;
    const rotation = this.#rotation;
    const { signal } = this.#over;
    let ended = last !== undefined && (await this.#end(last));
    while (!ended && !signal.aborted) {
      try {
        await endSession({
          runtime,
          tls,
          sessionTimeout,
          signal,
          address: rotation.next(),
          session,
          within: rotation.patience(sessionTimeout),
          background: !this.#finishing,
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
    const { runtime, sessionTimeout } = this.#connecting;
    const destroy = (): void => connection.destroy(new ConnectionClosedError('the session was ended'));
    const { signal } = this.#over;
    signal.addEventListener('abort', destroy);
    const timer = runtime.setTimer(destroy, sessionTimeout / 3, false);
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
