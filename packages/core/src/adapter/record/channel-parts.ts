import type { Runtime } from '../../time/runtime.ts';
import type { Deadline } from '../deadline.ts';
import type { Assignment } from '../queue/assignment.ts';
import type { StoredKey } from './record-text.ts';
import type { StoreCalls } from './store-calls.ts';

/** What the keys of one provider share. */
export interface ChannelParts {
  readonly runtime: Runtime;
  readonly deadline: Deadline;
  readonly calls: StoreCalls;
  /** The contact of the claims of this process. */
  readonly process: string;
  /** Whether the process of a claim has certainly ended. */
  ended(contact: string): boolean;
  /** For how many ms the store must keep this record. `undefined`: for ever. */
  keepFor(record: StoredKey, now: number): number | undefined;
  /** Says that it is the turn of `owner`, of this process. */
  hear(owner: string, assigned?: Assignment): void;
}
