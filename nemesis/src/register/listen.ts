/** What the register is asked for. Answered when it listens. */
export interface Listen {
  /** The path of its socket. */
  readonly socket: string;
  /** The path of what it writes down. */
  readonly log: string;
}
