import { stateReports } from '@locks/core/adapter';

/** `locks:wakes`: a process is notified of its turns in another way than before. */
export interface WakeMessage {
  /** The provider's name. */
  readonly provider: string;
  /** Notified by the database, or polling. */
  readonly state: 'listening' | 'polling';
  /** Why it polls although it should be notified. */
  readonly reason: unknown;
}

declare module '@locks/core' {
  interface ChannelMessages {
    'locks:wakes': WakeMessage;
  }
}

/** Publishes how one provider is notified of its turns, and why it polls. */
export type WakeReports = (state: WakeMessage['state'], reason: unknown) => void;

/** Subscribe with `subscribe('locks:wakes', (message) => …)` of `@locks/core`. */
export function wakeReports(provider: string): WakeReports {
  const report = stateReports<WakeMessage>('locks:wakes', provider);
  return (state, reason) => report(state, { reason });
}
