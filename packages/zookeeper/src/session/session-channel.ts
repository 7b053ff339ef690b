import { channel } from 'node:diagnostics_channel';
import type { Channel } from 'node:diagnostics_channel';
import { outsideContext } from '@locks/core/adapter';
import { printSession } from '../connection/handshake.ts';
import type { Session } from './session.ts';

/** What the session is doing. `lost`: there is none, and no call has asked for the next one. */
export type SessionState = 'idle' | 'connecting' | 'connected' | 'suspended' | 'lost' | 'closed';

/** `locks:session`: the session with ZooKeeper is in another state. */
export interface SessionMessage {
  /** The provider's name. */
  readonly provider: string;
  /** The state that the session is in now. */
  readonly state: SessionState;
  /** The number of the session, as the servers' logs show it. `undefined`: there is none. */
  readonly session: string | undefined;
  /** Why it is suspended or lost. */
  readonly reason: unknown;
}

declare module '@locks/core' {
  interface ChannelMessages {
    'locks:session': SessionMessage;
  }
}

type Published<Message> = Omit<Channel, 'publish'> & { publish(message: Message): void };

/** Subscribe with `subscribe('locks:session', (message) => …)` of `@locks/core`. */
const sessionChannel: Published<SessionMessage> = channel('locks:session');

/** Publishes the states of one provider's sessions. */
export class SessionReports {
  readonly #provider: string;
  #published: SessionState = 'idle';

  constructor(provider: string) {
    this.#provider = provider;
  }

  /** Publishes a state once, however often it is called for it. */
  publish(state: SessionState, session: Session | undefined, reason: unknown): void {
    if (state === this.#published) return;
    this.#published = state;
    if (!sessionChannel.hasSubscribers) return;
    const number = session === undefined ? undefined : printSession(session.id);
    const message = { provider: this.#provider, state, session: number, reason };
    outsideContext(() => sessionChannel.publish(message));
  }
}
