import { channel } from 'node:diagnostics_channel';
import type { Channel } from 'node:diagnostics_channel';

/** `locks:wakes`: a process hears of its turns in another way than before. */
export interface WakeMessage {
  /** The provider's name. */
  readonly provider: string;
  /** It is told by the database, or looks now and then. */
  readonly state: 'listening' | 'polling';
  /** Why it has to look, though it was to be told. */
  readonly reason: unknown;
}

declare module '@locks/core' {
  interface ChannelMessages {
    'locks:wakes': WakeMessage;
  }
}

type Published<Message> = Omit<Channel, 'publish'> & { publish(message: Message): void };

/** Subscribe with `subscribe('locks:wakes', (message) => …)` of `@locks/core`. */
const wakesChannel: Published<WakeMessage> = channel('locks:wakes');

/** Tells how one provider hears of its turns. */
export class WakeReports {
  readonly #provider: string;
  #told: WakeMessage['state'] | undefined = undefined;

  constructor(provider: string) {
    this.#provider = provider;
  }

  /** Told once, however often it is called for one state. */
  tell(state: WakeMessage['state'], reason: unknown): void {
    if (state === this.#told) return;
    this.#told = state;
    if (wakesChannel.hasSubscribers) wakesChannel.publish({ provider: this.#provider, state, reason });
  }
}
