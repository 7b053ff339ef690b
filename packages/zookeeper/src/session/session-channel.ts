import { channel } from 'node:diagnostics_channel';
import type { Channel } from 'node:diagnostics_channel';

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

type Published<Message> = Omit<Channel, 'publish'> & { publish(message: Message): void };

/** Subscribe with `diagnostics_channel.subscribe('locks:session', (message) => …)`. */
export const sessionChannel: Published<SessionMessage> = channel('locks:session');
