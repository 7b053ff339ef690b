/**
 * The stages of one claim in the queue of its process. `stages` is their table: stage x event ->
 * stage, where a pair that is missing changes nothing. `queued-claim.ts` does what goes with a
 * change, and `create-queue.ts` makes the calls.
 */
export type Stage =
  /** The backend's queue has nothing of it: it is new, or polls as no message could reach it. */
  | 'outside'
  /** Its first call is under way, and nothing was sent that could put it into the queue. */
  | 'entering'
  /** A call of its own is under way that puts it into the queue, or keeps it there. */
  | 'asking'
  /** It was answered busy, and is told when its turn comes. It is due at the next sign of life. */
  | 'waiting'
  /** As `waiting`, at the head: it looks when a hold ends, so no call stands in for it. */
  | 'head'
  /** The call of another claim, under way, shows it to the backend. */
  | 'carried'
  /** The backend answered that call: this claim is in the queue, with nothing new. */
  | 'shown'
  /** There may be something new for it: it asks, and shows no others, as it may be its turn. */
  | 'notified'
  /** It was granted the key, by a message: its next call is answered with that. */
  | 'assigned'
  /** Its last call was rejected: what became of it is unknown. */
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
  /** That call was rejected, and its effect is unknown. `leave`: it has none. */
  | 'failed'
  /** A call of another claim shows it. Its answer: kept, or not named as kept; or none. */
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

/** Where a claim waits, others know of it: it can be told, and it can leave. */
const told: Row = { ask: 'asking', notify: 'notified', assign: 'assigned', leave: 'over' };
/** `busy` becomes `assigned` where a grant was told meanwhile: see `QueuedClaim`. */
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

/** A message that comes after a later one, or for a call under way, must not be forgotten. */
export function after(stage: Stage, event: Event): Stage {
  return stages[stage][event] ?? stage;
}

/** The last call was answered busy, so what the backend has assigned was not granted yet. */
export const waits: ReadonlySet<Stage> = new Set([
  'outside',
  'waiting',
  'head',
  'carried',
  'shown',
  'notified',
  'assigned',
]);

/** What the next call of a claim comes to. `early`: before the moment that it was told. */
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
      // A claim that comes early has a reason.
      return early ? 'ask' : 'ask with others';
    case 'outside':
    case 'notified':
    case 'unsure':
      return 'ask';
  }
}
