import type { Party } from '../../subjects/party.ts';

/** A party with a session of its own. */
export interface ZookeeperParty extends Party {
  /** Ends the session, and with it all that it holds or waits for. */
  close(): Promise<void>;
}

/** A lock library under measurement, with locks in a ZooKeeper. */
export interface ZookeeperSubject {
  readonly name: string;
  open(url: string): Promise<ZookeeperParty>;
}
