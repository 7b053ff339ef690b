import type { LockProvider } from '@locks/core';

/** A provider of `createZookeeperProvider`: for `createLocks`, and for guards in its session. */
export interface ZookeeperProvider extends LockProvider {
  readonly name: 'zookeeper';
  /**
   * Resolves when there is a session whose user may create nodes under the root.
   * @throws `LOCK_UNAVAILABLE` after `within` ms without a session. For permanent refusals
   * `LOCK_MISCONFIGURED`.
   */
  connect(within: number): Promise<void>;
  /**
   * The keys that begin with `prefix` and are held or waited for, each once.
   * @throws `LOCK_UNAVAILABLE` if the servers did not answer.
   */
  list(prefix: string): AsyncIterable<string>;
}
