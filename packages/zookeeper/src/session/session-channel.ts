import { stateReports } from '@locks/core/adapter';
import { printSession } from '../connection/handshake.ts';
import type { Session } from './session.ts';

/** The state of the session. `lost`: there is none, and no call has requested the next one. */
export type SessionState = 'idle' | 'connecting' | 'connected' | 'suspended' | 'lost' | 'closed';

/** `locks:session`: the state of the session with ZooKeeper has changed. */
export interface SessionMessage {
  /** The provider's name. */
  readonly provider: string;
  /** The new state. */
  readonly state: SessionState;
  /** The id of the session, as in the servers' logs. `undefined`: none. */
  readonly session: string | undefined;
  /** Why it is suspended or lost. */
  readonly reason: unknown;
}

declare module '@locks/core' {
  interface ChannelMessages {
    'locks:session': SessionMessage;
  }
}

/** Publishes the states of one provider's sessions. */
export type SessionReports = (state: SessionState, session: Session | undefined, reason: unknown) => void;

/** Subscribe with `subscribe('locks:session', (message) => …)` of `@locks/core`. */
export function sessionReports(provider: string): SessionReports {
  const report = stateReports<SessionMessage>('locks:session', provider, 'idle');
  return (state, session, reason) => report(state, { session: session && printSession(session.id), reason });
}
