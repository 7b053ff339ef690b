import type { Deadline, Runtime } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { ScriptClient } from '../wire/client.ts';
import type { LockScripts } from './lock-scripts.ts';
import { releasedInDoubt, toInteger } from '../wire/replies.ts';
import type { Servers } from '../wire/servers.ts';

/** Releases that say what they freed, or that this is unknown. */
export class Releases {
  readonly #client: ScriptClient;
  readonly #servers: Servers;
  readonly #scripts: LockScripts;
  readonly #deadline: Deadline;
  readonly #runtime: Runtime;
  /**
   * Under way, for all releases that wait for a connection: a client that is cut off keeps each
   * command.
   */
  #ping: Promise<unknown> | undefined = undefined;

  constructor(client: ScriptClient, servers: Servers, scripts: LockScripts, deadline: Deadline, runtime: Runtime) {
    this.#client = client;
    this.#servers = servers;
    this.#scripts = scripts;
    this.#deadline = deadline;
    this.#runtime = runtime;
  }

  /** `awaited`: claims of this process are in line on the key. */
  async release(claim: Claim, awaited: boolean): Promise<boolean> {
    this.#scripts.checkOpen();
    let connections = this.#servers.connections();
    let left: number | undefined;
    if (connections === undefined) {
      const end = this.#runtime.clock.now() + this.#deadline.timeout;
      connections = await this.#reconnected();
      left = end - this.#runtime.clock.now();
    }
    const freed = toInteger(await this.#scripts.release(claim, awaited, left), 'a release') === 1;
    // A client sends again what a broken connection left unanswered, and hears the second answer.
    if (!freed && !this.#servers.unbroken(connections)) throw releasedInDoubt(claim);
    return freed;
  }

  /** The next connection of a client without one, if it has one in half the time of a call. */
  async #reconnected(): Promise<unknown> {
    this.#ping ??= this.#client.ping().finally(() => (this.#ping = undefined));
    const answer = this.#deadline.race(this.#ping, 'a ping', this.#deadline.timeout / 2);
    // Without an answer the release goes out too: the client may still send an earlier attempt.
    await answer.catch(() => {});
    return this.#servers.connections();
  }
}
