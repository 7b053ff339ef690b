import { stateReports } from '@locks/core/adapter';

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

/** Publishes how one provider hears of its turns, and why it has to look. */
export type WakeReports = (state: WakeMessage['state'], reason: unknown) => void;

/** Subscribe with `subscribe('locks:wakes', (message) => …)` of `@locks/core`. */
export function wakeReports(provider: string): WakeReports {
  const report = stateReports<WakeMessage>('locks:wakes', provider);
  return (state, reason) => report(state, { reason });
}
