import { admits } from '../../key/admission.ts';
import { remove } from '../../key/by-owner.ts';
import type { Tell } from '../../key/calls.ts';
import type { Runtime } from '../../time/runtime.ts';
import type { TimerWheel } from '../../time/timer-wheel.ts';
import type { Deadline } from '../deadline.ts';
import type { Assignment } from '../queue/assignment.ts';
import { withMoments } from './entry-ends.ts';
import type { EntryEnds, Written } from './entry-ends.ts';
import type { PendingCall } from './pending-call.ts';
import type { StoredKey } from './record-text.ts';
import type { ReadState, StoreCalls } from './store-calls.ts';
import type { Moment } from './store-time.ts';

/** The effect of the calls of one process on one state of a key. */
export interface Step {
  readonly state: ReadState;
  readonly moment: Moment;
  /** The state after the calls. */
  readonly record: StoredKey;
  readonly answers: readonly unknown[];
  /** The claims of this process that the calls have notified. */
  readonly woken: ReadonlySet<string>;
  /** The calls changed a hold, and not only the queue. */
  readonly urgent: boolean;
  /** `undefined`: there is nothing to write. */
  readonly change: Change | undefined;
}

/** What the store is to contain after a step. */
export interface Change extends Written {
  readonly version: string;
  /** Claims wait, before the step or after it. */
  readonly waited: boolean;
  /** The other processes whose claims the calls have notified. */
  readonly wakes: readonly string[];
}

/** A write that the store reported as not made. */
export interface LostWrite {
  readonly calls: readonly PendingCall[];
  readonly step: Step;
}

/** What the keys of one provider share. */
export interface ChannelParts {
  readonly runtime: Runtime;
  readonly deadline: Deadline;
  /** For the ends of calls. */
  readonly timers: TimerWheel;
  readonly calls: StoreCalls;
  /** The contact of the claims of this process. */
  readonly process: string;
  /** Whether the process of a claim has certainly ended. */
  ended(contact: string): boolean;
  /** For how many ms the store must keep this record. `undefined`: for ever. */
  keepFor(record: StoredKey, now: number): number | undefined;
  /** Reports that it is the turn of `owner`, of this process. */
  hear(owner: string, assigned?: Assignment): void;
}

/**
 * Applies `calls` to `record`, the record of `state`, and changes it. `always`: there is a change
 * even if they make none.
 */
export function takeStep(
  state: ReadState,
  moment: Moment,
  record: StoredKey,
  calls: readonly PendingCall[],
  always: boolean,
  ends: EntryEnds,
  { process, ended, calls: store }: ChannelParts,
): Step {
  const { text } = state;
  // With a time of the store the text that was read also contains the moments.
  const before = text === undefined || state.now === undefined ? withMoments(record) : text;
  let waited = record.queue.length > 0;
  const [woken, wakes] = [new Set<string>(), new Set<string>()];
  const tell: Tell<string> = ({ owner, contact }) => void (contact === process ? woken.add(owner) : wakes.add(contact));
  const dropped = waited && dropEnded(record, ended);
  const answers: unknown[] = [];
  let urgent = false;
  for (const { call } of calls) {
    const answer = call.work(record, moment.now, tell);
    answers.push(answer);
    urgent ||= call.urgent?.(answer) === true;
  }
  const [head] = record.queue;
  if (dropped && head !== undefined && admits(record, head)) tell(head);
  const version = store.nextVersion();
  if (urgent) record.writes = writesWith(record.writes, version);
  const after = withMoments(record);
  // Objects are made in one piece. What a spread makes stays until a full collection: see ADR 17.
  let change: Change | undefined;
  if (after !== before || always) {
    waited ||= record.queue.length > 0;
    const written = ends.written?.(record, version, moment.now);
    change = { version, text: written?.text ?? after, known: written?.known, waited, wakes: [...wakes] };
  }
  return { state, moment, record, answers, woken, urgent, change };
}

/**
 * Settles the calls of a write that was made after all, according to the record, and returns the
 * others of `calls`: a client that repeats a write receives only the second reply.
 */
export function settleMade(
  calls: readonly PendingCall[],
  lost: LostWrite,
  { writes = [] }: StoredKey,
): readonly PendingCall[] {
  const { change, answers, moment } = lost.step;
  if (change === undefined || !writes.includes(change.version)) return calls;
  for (const [index, call] of lost.calls.entries()) call.answered(answers[index], moment.slack);
  return calls.filter((call) => !lost.calls.includes(call));
}

/** Removes claims at the head of the queue whose processes have ended. Returns whether any had. */
function dropEnded({ queue }: StoredKey, ended: ChannelParts['ended']): boolean {
  let dropped = false;
  for (let head = queue[0]; head !== undefined && ended(head.contact); head = queue[0]) {
    remove(queue, head);
    dropped = true;
  }
  return dropped;
}

/**
 * The number of processes whose writes are known. With fewer, a client that repeats a write takes
 * its own for a lost one if more processes have written meanwhile. More make each text longer.
 */
const writesKept = 4;

function writesWith(writes: readonly string[] = [], version: string): readonly string[] {
  const process = version.slice(0, version.lastIndexOf('.') + 1);
  return [...writes.filter((other) => !other.startsWith(process)), version].slice(-writesKept);
}
