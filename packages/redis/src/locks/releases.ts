import type { Deadline, Runtime } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { ScriptClient } from '../wire/client.ts';
import type { LockScripts } from './lock-scripts.ts';
import { attemptUnderWay, releasedInDoubt, toInteger } from '../wire/replies.ts';
import type { Servers } from '../wire/servers.ts';
import type { UnsettledAttempts } from './unsettled-attempts.ts';

/** What releases are made of. */
export interface ReleaseParts {
  readonly client: ScriptClient;
  readonly servers: Servers;
  readonly scripts: LockScripts;
  /** Absent: the client sends in the order of the calls. */
  readonly unsettled: UnsettledAttempts | undefined;
  readonly deadline: Deadline;
  readonly runtime: Runtime;
}

/** Releases that say what they freed, or that this is unknown. */
export class Releases {
  readonly #parts: ReleaseParts;
  /**
   * Under way, for all releases that wait for a connection: a client that is cut off keeps each
   * command.
   */
  #ping: Promise<unknown> | undefined = undefined;

  constructor(parts: ReleaseParts) {
    this.#parts = parts;
  }

  /** `awaited`: claims of this process are in line on the key. */
  async release(claim: Claim, awaited: boolean): Promise<boolean> {
    const { servers, scripts, unsettled, deadline, runtime } = this.#parts;
    scripts.checkOpen();
    let connections = servers.connections();
    let left: number | undefined;
    const attempts = unsettled?.of(claim.owner);
    if (connections === undefined || attempts !== undefined) {
      const end = runtime.clock.now() + deadline.timeout;
      await this.#over(Promise.all([attempts, connections === undefined ? this.#pinged() : undefined]));
      connections = servers.connections();
      left = end - runtime.clock.now();
    }
    const overtakes = unsettled?.of(claim.owner) !== undefined;
    const freed = toInteger(await scripts.release(claim, awaited, left), 'a release') === 1;
    // The attempt that the release overtook may take the key.
    if (overtakes) throw attemptUnderWay(claim);
    // A client sends again what a broken connection left unanswered, and hears the second answer.
    if (!freed && !servers.unbroken(connections)) throw releasedInDoubt(claim);
    return freed;
  }

  /** Waits until `earlier` calls are over, in half the time of a call at most. */
  async #over(earlier: Promise<unknown>): Promise<void> {
    const { deadline } = this.#parts;
    // The release goes out in any case: it frees the key, or the client sends it behind them.
    await deadline.race(earlier, 'what was called before a release', deadline.timeout / 2).catch(() => {});
  }

  /** Answered when a client without a connection has the next one. */
  #pinged(): Promise<unknown> {
    this.#ping ??= this.#parts.client.ping().finally(() => (this.#ping = undefined));
    return this.#ping;
  }
}
