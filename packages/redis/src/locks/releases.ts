import type { Deadline, Runtime } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { ScriptClient } from '../wire/client.ts';
import type { LockScripts } from './lock-scripts.ts';
import { attemptUnderWay, releasedInDoubt, toInteger } from '../wire/replies.ts';
import type { Servers } from '../wire/servers.ts';
import { unpipelined } from '../wire/unpipelined.ts';
import type { Unsettled, UnsettledAttempts } from './unsettled-attempts.ts';

export interface ReleaseParts {
  readonly client: ScriptClient;
  readonly servers: Servers;
  readonly scripts: LockScripts;
  /** Absent: the client sends in the order of the calls. */
  readonly unsettled: UnsettledAttempts | undefined;
  readonly deadline: Deadline;
  readonly runtime: Runtime;
}

/**
 * A release that resolves to whether it freed a hold, or rejects if this is unknown. `awaited`:
 * claims of this process wait for the key.
 */
export type Release = (claim: Claim, awaited: boolean) => Promise<boolean>;

export function createRelease({ client, servers, scripts, unsettled, deadline, runtime }: ReleaseParts): Release {
  /**
   * In flight for all releases that wait for a connection, as a disconnected client keeps each
   * command.
   */
  let ping: Promise<unknown> | undefined;

  /** A release after what the client has not sent yet. */
  async function inOrder(claim: Claim, awaited: boolean, attempts: Unsettled | undefined): Promise<boolean> {
    const end = runtime.clock.now() + deadline.timeout;
    const left = (): number => Math.max(1, end - runtime.clock.now());
    // The client sends the release after the latest attempt, but may send an earlier one later.
    const overtaken = attempts?.overtaken === true ? attempts.settled : undefined;
    const reached = servers.connections() === undefined ? pinged() : undefined;
    await over(Promise.all([overtaken, reached]), deadline.timeout / 2);
    const connections = servers.connections();
    let freed = false;
    for (;;) {
      const open = unsettled?.of(claim.owner);
      const reply = await scripts.release(claim, awaited, left());
      if (open === undefined) return freed || certain(claim, reply, connections);
      freed ||= Number(reply) === 1;
      // The attempt may have taken the key after the release.
      await over(open.settled, left());
      if (unsettled?.of(claim.owner) !== undefined) throw attemptUnderWay(claim);
    }
  }

  /** Whether the release freed a hold. */
  function certain(claim: Claim, reply: unknown, connections: unknown): boolean {
    const freed = toInteger(reply, 'a release') === 1;
    // A client resends what a broken connection left unanswered, and reports the second answer.
    if (!freed && !servers.unbroken(connections)) throw releasedInDoubt(claim);
    return freed;
  }

  /** Waits until `earlier` calls have settled, for at most `patience` ms. */
  async function over(earlier: Promise<unknown>, patience: number): Promise<void> {
    await deadline.race(earlier, 'what was called before a release', patience).catch(() => {});
  }

  /** Answered once a disconnected client has its next connection. */
  function pinged(): Promise<unknown> {
    ping ??= unpipelined(client)
      .ping()
      .finally(() => (ping = undefined));
    return ping;
  }

  return async (claim, awaited) => {
    scripts.checkOpen();
    const connections = servers.connections();
    const attempts = unsettled?.of(claim.owner);
    if (connections === undefined || attempts !== undefined) return await inOrder(claim, awaited, attempts);
    return certain(claim, await scripts.release(claim, awaited), connections);
  };
}
