/** The direction of bytes: from the client to the server, back, or both. */
export type Direction = 'requests' | 'replies' | 'both';

/** One of the two ways. */
export type Way = Exclude<Direction, 'both'>;

/** Which piece of the stream triggers a trap, and its effect. */
export interface TrapOptions {
  /**
   * Accepts the piece; a piece is the result of one read, usually one request or one reply.
   * @default any piece
   */
  readonly when?: (piece: Buffer) => boolean;
}

/** A fault that happens once. */
export interface Trap {
  /** Resolves when it has happened; never, if it does not. */
  readonly sprung: Promise<void>;
  /** Cancels it if it has not happened: it would wait for the next piece, however late. */
  disarm(): void;
}

/** A trap that a connection checks for. */
export interface SetTrap extends Trap {
  readonly kind: 'cut' | 'drop';
  readonly way: Way;
  /** How many bytes of the triggering piece pass. */
  readonly bytes: number | undefined;
  readonly when: (piece: Buffer) => boolean;
  spring(): void;
}

/** The current conditions of the connections of a proxy. */
export interface Conditions {
  delay(way: Way): number;
  silent(way: Way): boolean;
  holding(way: Way): boolean;
  readonly refusing: boolean;
  readonly duplicating: boolean;
  /** Switches something on; returns what switches it off. False: it was off already. */
  add(condition: Condition): () => boolean;
  set(kind: SetTrap['kind'], way: Way, options: TrapOptions & { readonly bytes?: number }): Trap;
  /** Takes the trap that `piece` triggers, if any, and removes it. */
  take(kind: SetTrap['kind'], way: Way, piece: Buffer): SetTrap | undefined;
  /** Switches everything off. */
  clear(): void;
}

/** Something that was switched on. */
export type Condition =
  | { readonly kind: 'delay'; readonly direction: Direction; readonly delay: number }
  | { readonly kind: 'silence'; readonly direction: Direction }
  | { readonly kind: 'hold'; readonly direction: Direction }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'duplicate' };

export function createConditions(): Conditions {
  const active = new Set<Condition>();
  const traps = new Set<SetTrap>();
  const isOn = (kind: 'silence' | 'hold', way: Way): boolean =>
    [...active].some((condition) => condition.kind === kind && affects(condition.direction, way));

  return {
    delay(way) {
      let delay = 0;
      for (const condition of active) {
        if (condition.kind === 'delay' && affects(condition.direction, way)) delay += condition.delay;
      }
      return delay;
    },
    silent: (way) => isOn('silence', way),
    holding: (way) => isOn('hold', way),
    get refusing() {
      return [...active].some(({ kind }) => kind === 'refuse');
    },
    get duplicating() {
      return [...active].some(({ kind }) => kind === 'duplicate');
    },
    add(condition) {
      active.add(condition);
      return () => active.delete(condition);
    },
    set(kind, way, { when = () => true, bytes }) {
      let spring!: () => void;
      const sprung = new Promise<void>((resolve) => (spring = resolve));
      const disarm = (): void => void traps.delete(trap);
      const trap: SetTrap = { kind, way, bytes, when, sprung, spring, disarm };
      traps.add(trap);
      return { sprung, disarm };
    },
    take(kind, way, piece) {
      for (const trap of traps) {
        if (trap.kind !== kind || trap.way !== way || !trap.when(piece)) continue;
        traps.delete(trap);
        return trap;
      }
      return undefined;
    },
    clear() {
      active.clear();
      traps.clear();
    },
  };
}

function affects(direction: Direction, way: Way): boolean {
  return direction === 'both' || direction === way;
}
