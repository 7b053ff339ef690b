import { channel } from 'node:diagnostics_channel';
import type { Channel } from 'node:diagnostics_channel';
import { outsideContext } from '@locks/core/adapter';
import { printSession } from '../connection/handshake.ts';
import type { Generation } from './generation.ts';

/** What a session is doing. `lost`: there is none, and nobody has asked for the next one. */
export type SessionState = 'idle' | 'connecting' | 'connected' | 'suspended' | 'lost' | 'closed';

/** `locks:session`: the session with ZooKeeper is in another state. */
export interface SessionMessage {
  /** The provider's name. */
  readonly provider: string;
  readonly state: SessionState;
  /** The server's number of the session, as its logs show it; `undefined`: there is none. */
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

/** Tells of the states of one session. */
export class SessionReports {
  readonly #provider: string;
  #told: SessionState = 'idle';

  constructor(provider: string) {
    this.#provider = provider;
  }

  /** Told once, however often it is called for one state. */
  tell(state: SessionState, generation: Generation | undefined, reason: unknown): void {
    if (state === this.#told) return;
    this.#told = state;
    if (!sessionChannel.hasSubscribers) return;
    const session = generation === undefined ? undefined : printSession(generation.id);
    const message = { provider: this.#provider, state, session, reason };
    outsideContext(() => sessionChannel.publish(message));
  }
}
