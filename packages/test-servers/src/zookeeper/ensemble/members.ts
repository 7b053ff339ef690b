import type { ServerHandle } from '../../server/handle.ts';
import type { PeerLinks } from './peer-links.ts';

/** The members of an ensemble: voting ones, then its observers. */
export interface Members {
  readonly servers: readonly ServerHandle[];
  /** Throws if the members are connected directly. */
  links(): PeerLinks;
  /** Ends all of them. Idempotent. */
  stop(): Promise<void>;
}
