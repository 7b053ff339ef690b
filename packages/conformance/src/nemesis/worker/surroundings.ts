import type { Locks } from '@locks/core';
import type { Turn } from '../script.ts';
import type { Naming } from './calls.ts';
import type { Note } from './messages.ts';
import type { RegisterClient } from './register-client.ts';

/** What a turn works with. */
export interface Surroundings {
  /** Its name in the history. */
  readonly process: string;
  /** The open client. */
  readonly locks: Locks;
  readonly register: RegisterClient;
  /** In ms: the ttl of leases whose turn has none. */
  readonly ttl: number;
  readonly name: Naming;
  /** The slot of a job, now. `repeated`: of one that is repeated after a failure. */
  slot(repeated: boolean): string;
  append(note: Note): void;
  /** Holds end early then. */
  isCalm(): boolean;
  /** Takes another turn. */
  take(id: string, turn: Turn): Promise<void>;
  /** Takes another turn, which the process awaits before it ends. */
  takeLater(id: string, turn: Turn): void;
  /** Closes the client, and opens a new one. */
  reopen(): Promise<void>;
}
