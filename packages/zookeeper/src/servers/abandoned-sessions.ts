import { pause } from '@locks/core/adapter';
import type { Connection } from '../connection/connection.ts';
import { endSession } from '../connection/end-session.ts';
import { ConnectionClosedError } from '../connection/errors.ts';
import { closeSession } from '../wire/session-requests.ts';
import type { Connecting } from './connector.ts';
import type { Rotation } from './rotation.ts';
import { shownNow } from './showing.ts';
import type { AbandonedSession, SessionEnding } from './transport.ts';

/**
 * Ends the sessions that were given up, at the first server that can be reached. Until a session
 * has ended there, or has timed out, its nodes block other clients.
 */
export class AbandonedSessions implements SessionEnding {
  readonly #connecting: Connecting;
  readonly #rotation: Rotation;
  readonly #over: AbortController = new AbortController();
  #work: Promise<void> | undefined;
  /** `close` waits for the rest, so the rest keeps the process alive. */
  #finishing = false;

  constructor(connecting: Connecting, rotation: Rotation) {
    this.#connecting = connecting;
    this.#rotation = rotation;
  }

  add(session: AbandonedSession, connection: Connection | undefined): void {
    this.#work = Promise.all([this.#work, this.#end(session, connection)]).then(() => {});
  }

  async finish(within: number): Promise<void> {
    this.#finishing = true;
    const { runtime } = this.#connecting;
    const timer = runtime.setTimer(() => this.#over.abort(), within, true);
    await this.#work;
    runtime.clearTimer(timer);
    this.#over.abort();
  }

  async #end(session: AbandonedSession, last: Connection | undefined): Promise<void> {
    const { runtime, sessionTimeout } = this.#connecting;
    const rotation = this.#rotation;
    const { signal } = this.#over;
    let ended = last !== undefined && (await this.#endOver(last));
    while (!ended && !signal.aborted) {
      try {
        const { tls } = await shownNow(this.#connecting, signal);
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
      } catch (error) {
        rotation.failed(error);
        await pause(runtime, rotation.pause(), { signal, keepAlive: false });
      }
    }
    rotation.worked();
  }

  /** Whether the server has confirmed the end. */
  async #endOver(connection: Connection): Promise<boolean> {
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
