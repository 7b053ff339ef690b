import type { NemesisTarget } from '@locks/conformance/nemesis';

/** What can be attacked: a store, and the servers that it needs. */
export interface Definition {
  /** Packages of adapters that the application has, without the scope. */
  readonly adapters: readonly string[];
  /** Modules of clients that it has. */
  readonly clients: readonly string[];
  /**
   * Starts it. `application` is the folder of the application, where openings have their modules and
   * files of the store may be.
   */
  start(application: string): Promise<Running>;
}

/** A store that runs. */
export interface Running {
  /** Its openings are called as the clients are. */
  readonly target: NemesisTarget;
  /** What its servers printed. @default nothing is kept */
  log?(): Promise<string>;
  stop(): Promise<void>;
}
