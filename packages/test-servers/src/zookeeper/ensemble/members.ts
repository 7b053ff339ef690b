import type { ServerHandle } from '../../server/handle.ts';
import type { PeerLinks } from './peer-links.ts';

/** The members of an ensemble: those that vote, then its observers. */
export interface Members {
  readonly servers: readonly ServerHandle[];
  /** Throws where the members are connected directly. */
  links(): PeerLinks;
  /** Ends all of them. May be called again. */
  stop(): Promise<void>;
}
