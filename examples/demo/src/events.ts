/** One turn at the balance, from reading it to writing it. Times are those of `now()`. */
export interface Turn {
  readonly worker: number;
  readonly from: number;
  readonly until: number;
  /** What was written. */
  readonly balance: number;
  /** Missing without a lock. */
  readonly hold?: Hold;
}

/** How the lock of a turn was come by. */
export interface Hold {
  readonly token: bigint;
  readonly asked: number;
  /** When the backend had answered "busy, you are in line"; missing when the lock was free at once. */
  readonly inLine?: number;
}

/** The update is in the balance. */
export interface UpdatedEvent {
  readonly kind: 'updated';
  readonly turn: Turn;
}

/** The lock was lost on the way (a machine that stalls). Nothing was written, and the update is tried again. */
export interface RetriedEvent {
  readonly kind: 'retried';
  readonly worker: number;
  readonly why: string;
}

/** The victim holds the lock, has read the balance, and will never write it. */
export interface HoldingEvent {
  readonly kind: 'holding';
  readonly turn: Omit<Turn, 'until' | 'balance'>;
}

/** The victim is dead: its turn ended without an update. */
export interface KilledEvent {
  readonly kind: 'killed';
  readonly turn: Omit<Turn, 'balance'>;
}

/** What a worker tells while it works. */
export type WorkEvent = UpdatedEvent | RetriedEvent | HoldingEvent;

/** What is known of a run while it goes on. */
export type RunEvent = UpdatedEvent | RetriedEvent | KilledEvent;
