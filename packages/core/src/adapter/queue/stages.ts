/**
 * The stages of a claim in the queue of its process. `stages` is their table: stage x event ->
 * stage, where a missing pair changes nothing. `queued-claim.ts` performs what goes with a change,
 * and `create-queue.ts` makes the calls.
 */
export type Stage =
  /** Not in the backend's queue: new, or polling as no message could reach it. */
  | 'outside'
  /** Its first call is in progress, and nothing was sent that could put it into the queue. */
  | 'entering'
  /** A call of its own is in progress that puts it into the queue, or keeps it there. */
  | 'asking'
  /** Answered busy; notified when its turn comes. Its next refresh is due. */
  | 'waiting'
  /** As `waiting`, at the head: it looks when a hold ends, so no other call substitutes for it. */
  | 'head'
  /** The call of another claim, in progress, refreshes it. */
  | 'carried'
  /** The backend answered that call: this claim is in the queue, without news. */
  | 'shown'
  /** There may be news for it: it asks, and refreshes no others, as it may be its turn. */
  | 'notified'
  /** It was granted the key by a message: its next call returns that. */
  | 'assigned'
  /** Its last call was rejected: its state is unknown. */
  | 'unsure'
  /** Granted, released, refused or closed. Nothing wakes it any more. */
  | 'over';

export type Event =
  /** A call of its own begins. */
  | 'ask'
  /** It is sent to the queue. */
  | 'send'
  /** That call was answered: busy, busy as head, busy out of the queue. `leave`: granted. */
  | 'busy'
  | 'busy-head'
  | 'polls'
  /** That call was rejected, with unknown effect. `leave`: without effect. */
  | 'failed'
  /** A call of another claim refreshes it. Its answer: kept, or not named as kept; or none. */
  | 'carry'
  | 'kept'
  | 'not-kept'
  | 'carrier-failed'
  /** Its turn may have come. It was granted the key. */
  | 'notify'
  | 'assign'
  /** It was granted, refused or released, or the provider closed. */
  | 'leave';

type Row = Partial<Record<Event, Stage>>;

/** Where a claim waits, others know of it: it can be notified, and it can leave. */
const told: Row = { ask: 'asking', notify: 'notified', assign: 'assigned', leave: 'over' };
/** `busy` becomes `assigned` where a grant was reported meanwhile: see `QueuedClaim`. */
const calling: Row = { busy: 'waiting', 'busy-head': 'head', failed: 'unsure', leave: 'over' };

const stages: Readonly<Record<Stage, Row>> = {
  outside: { ask: 'entering', assign: 'assigned', leave: 'over' },
  entering: { ...calling, send: 'asking', polls: 'outside' },
  asking: { ...calling, polls: 'waiting' },
  waiting: { ...told, carry: 'carried' },
  head: told,
  carried: { ...told, kept: 'shown', 'not-kept': 'notified', 'carrier-failed': 'waiting' },
  shown: { ...told, carry: 'carried' },
  notified: { ...told, notify: 'notified' },
  assigned: { ...told, notify: 'assigned' },
  unsure: { ...told, notify: 'unsure' },
  over: {},
};

/** A message that is overtaken, or arrives during a call, must not be forgotten. */
export function after(stage: Stage, event: Event): Stage {
  return stages[stage][event] ?? stage;
}

/** The last call was answered busy, so an assigned hold was not granted yet. */
export const waits: ReadonlySet<Stage> = new Set([
  'outside',
  'waiting',
  'head',
  'carried',
  'shown',
  'notified',
  'assigned',
]);

/** What the next call of a claim does. `early`: before it is due. */
export type Answer = 'over' | 'grant' | 'hear' | 'quiet' | 'ask' | 'ask with others';

export function answerOf(stage: Stage, early: boolean): Answer {
  switch (stage) {
    case 'over':
      return 'over';
    case 'assigned':
      return 'grant';
    // One call of a claim at a time: a second one waits for the first.
    case 'entering':
    case 'asking':
      return 'hear';
    case 'carried':
      return early ? 'ask' : 'hear';
    case 'shown':
      return early ? 'ask' : 'quiet';
    case 'waiting':
    case 'head':
      // A claim that calls early has a reason.
      return early ? 'ask' : 'ask with others';
    case 'outside':
    case 'notified':
    case 'unsure':
      return 'ask';
  }
}
