import { connectedProcesses } from '@locks/core/adapter';
import type { Check } from '@locks/core/adapter';

/** The servers that are looked at, over a session at one of them. */
export interface Ensemble {
  /** What the configuration asks for, in ms. */
  readonly asked: number;
  /** As the servers have decided, in ms. */
  readonly sessionTimeout: number;
  /** The names of the processes that have a session. */
  readonly names: () => Promise<readonly string[]>;
}

/** A pause of a process, such as that of a garbage collection, is often as long. In ms. */
const leastTimeout = 4_000;

/** What an ensemble is asked. */
export const checks: readonly Check<Ensemble>[] = [
  {
    name: 'session-timeout',
    look({ asked, sessionTimeout }) {
      if (sessionTimeout !== asked) {
        return {
          level: 'warning',
          what: `The servers give sessions of ${sessionTimeout} ms in place of ${asked}.`,
          advice: 'Change option sessionTimeout, or minSessionTimeout and maxSessionTimeout of the servers.',
        };
      }
      if (sessionTimeout >= leastTimeout) {
        return { level: 'ok', what: `Locks of a silent process end after ${sessionTimeout} ms.` };
      }
      return {
        level: 'warning',
        what: `A process that pauses for ${sessionTimeout} ms loses all its locks.`,
        advice: `Set option sessionTimeout to ${leastTimeout} at least.`,
      };
    },
  },
  { name: 'processes', look: async ({ names }) => connectedProcesses(await names()) },
];
