import type { Party } from '../../party.ts';

/** A party with a session of its own. */
export interface ZookeeperParty extends Party {
  /** Ends the session, and with it all that it holds or waits for. */
  close(): Promise<void>;
  /** Whether claims take their places in the order of the calls. */
  readonly inOrder: boolean;
}

/** A lock library under measurement, with locks in a ZooKeeper. */
export interface ZookeeperSubject {
  readonly name: string;
  open(url: string): Promise<ZookeeperParty>;
}
