import type { ServerHandle } from '../../server/handle.ts';

/** The members of an ensemble: those that vote, then its observers. */
export interface Members {
  readonly servers: readonly ServerHandle[];
  /** Cuts the member of that index off from the others, if it can be done; returns what ends it. */
  cutOff(index: number): () => Promise<void>;
  lag(index: number, delay: number): () => void;
  hold(index: number): () => void;
  mute(index: number): () => Promise<void>;
  /** Ends all of them. May be called again. */
  stop(): Promise<void>;
}
