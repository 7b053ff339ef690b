import { pause } from '@locks/core/adapter';
import type { Connection } from '../connection/connection.ts';
import { endSession } from '../connection/end-session.ts';
import { ConnectionClosedError } from '../connection/errors.ts';
import { closeSession } from '../wire/session-requests.ts';
import type { Connecting } from './connector.ts';
import type { Rotation } from './rotation.ts';
import { sessionEnding } from './session-ending.ts';
import type { Ending } from './session-ending.ts';
import { shownNow } from './showing.ts';
import type { AbandonedSession, SessionEnding } from './transport.ts';

/**
 * Ends abandoned sessions, at the first server that can be reached. Until a session has ended
 * there, or has timed out, its nodes block other clients.
 */
export function abandonedSessions(connecting: Connecting, rotation: Rotation): SessionEnding {
  const { runtime, sessionTimeout } = connecting;

  async function endAtAny(session: AbandonedSession, last: Connection | undefined, ending: Ending): Promise<void> {
    const { over: signal } = ending;
    let ended = last !== undefined && (await endOver(last, ending));
    while (!ended && !signal.aborted) {
      try {
        const { tls } = await shownNow(connecting, signal);
        await endSession({
          runtime,
          tls,
          sessionTimeout,
          signal,
          address: rotation.next(),
          session,
          within: rotation.patience(sessionTimeout),
          background: !ending.finishing(),
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
  async function endOver(connection: Connection, { over, finishing }: Ending): Promise<boolean> {
    const destroy = (): void => connection.destroy(new ConnectionClosedError('the session was ended'));
    over.addEventListener('abort', destroy);
    const timer = runtime.setTimer(destroy, sessionTimeout / 3, false);
    const answer = connection.send(closeSession, { background: !finishing() });
    const confirmed = await answer.then(
      () => true,
      () => false,
    );
    runtime.clearTimer(timer);
    over.removeEventListener('abort', destroy);
    destroy();
    return confirmed;
  }

  return sessionEnding(runtime, endAtAny);
}
