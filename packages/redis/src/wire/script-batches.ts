import { Batches } from '@locks/core/adapter';
import type { Clock, Deadline } from '@locks/core/adapter';
import { changedNothing, withConnectionError } from './client.ts';
import { callScript, isUnknownScript } from './script-call.ts';
import type { ScriptCall, ScriptInput, ScriptSender } from './script-call.ts';
import type { Script } from './scripts.ts';

/** A call that can be batched with others of its tick: see `lua/each.lua`. */
export interface JointCall extends ScriptCall {
  /** The script for many calls. `undefined`: it is sent alone. */
  readonly many: Script | undefined;
  /** Time limit, in ms. */
  readonly within: number;
  lasting(within: number): this;
  readonly owner: string;
  /** Its keys for the script for many calls. */
  manyKeys(): readonly string[];
  /** The shared arguments. */
  manyArgs(): readonly (string | number)[];
  /** Whether `other` has the same script for many calls and the same arguments. */
  joins(other: JointCall): boolean;
}

/**
 * Calls whose time limits differ by less, in ms, are batched. With more, one is notified of a
 * silence too early or too late. With less, calls that waited for one connection would be sent
 * apart.
 */
const sameTime = 16;

/** The script for many calls had no answer in time. */
const unanswered = new Error('no answer');

/** Sends the calls of one tick as one script, with one deadline. */
export function scriptBatches(client: ScriptSender, deadline: Deadline, clock: Clock): Batches<JointCall, unknown> {
  return new Batches<JointCall, unknown>({
    fits: (call, [first]) => first !== undefined && fits(call, first),
    alone: (call) => callScript(client, deadline, call, call.within),
    async together(calls) {
      const [{ many, within, completes }] = calls as [JointCall & { readonly many: Script }];
      const end = clock.now() + within;
      let late = false;
      // After the deadline only calls with `completes` continue.
      const mayGo = (): boolean => !late || completes === true;
      const left = (call: JointCall): Promise<unknown> | undefined => {
        if (!mayGo()) return undefined;
        const answer = callScript(client, deadline, call, Math.max(1, end - clock.now()));
        // No caller waits for a late one.
        answer.catch(() => {});
        return answer;
      };
      const sent = sendMany(client, many, inputOf(calls), mayGo).then((replies) =>
        calls.map((call, index) => (Number(replies[index]) > 0 ? replies[index] : left(call))),
      );
      // Called for a name once the deadline is over.
      const tooLate = (): string => {
        late = true;
        return 'a batch';
      };
      try {
        return await deadline.race(sent, tooLate, within);
      } catch (error) {
        throw late ? unanswered : error;
      }
    },
    failed: (error, call) =>
      error === unanswered
        ? deadline.overdue(() => call.what(), call.within)
        : call.explain(withConnectionError(client.over ?? client, error)),
  });
}

function fits(some: JointCall, other: JointCall): boolean {
  return some.many === other.many && Math.abs(some.within - other.within) < sameTime && some.joins(other);
}

function inputOf(calls: readonly JointCall[]): ScriptInput {
  const input: [number, ...(string | number)[]] = [0];
  for (const call of calls) input.push(...call.manyKeys());
  input[0] = input.length - 1;
  input.push(...(calls[0] as JointCall).manyArgs());
  for (const { owner } of calls) input.push(owner);
  return input;
}

/** The replies to the calls. None for those that `many` leaves to their own scripts. */
async function sendMany(
  client: ScriptSender,
  many: Script,
  input: ScriptInput,
  mayGo: () => boolean,
): Promise<readonly unknown[]> {
  let replies: unknown;
  try {
    replies = await client.evalsha(many.sha, ...input);
  } catch (error) {
    if (!mayGo()) throw error;
    if (isUnknownScript(error)) replies = await client.eval(many.lua, ...input);
    // Each call's own script finds out what the server refuses.
    else if (error instanceof Error && error.name === 'ReplyError' && !changedNothing(error)) return [];
    else throw error;
  }
  return Array.isArray(replies) ? (replies as readonly unknown[]) : [];
}
