import { Batches } from '@locks/core/adapter';
import type { Deadline, Outcome, RacedCall } from '@locks/core/adapter';
import { changedNothing } from './client.ts';
import { isUnknownScript, sendAgain, sendScript } from './script-call.ts';
import type { ScriptCall, ScriptSender } from './script-call.ts';
import type { Script } from './scripts.ts';

/** A call that can travel with others of its tick: see `lua/each.lua`. */
export interface JointCall extends ScriptCall {
  readonly owner: string;
  /** The keys that the script for many calls gets for this one. */
  manyKeys(): readonly string[];
  /** The arguments that it gets for all. Calls with different ones travel apart. */
  manyArgs(): readonly (string | number)[];
}

/** The script for many calls has left this one to its own script. */
const undecided = new Error('left to its own script');

/** The server did not know the script for many calls, and did nothing. */
const unloaded = new Error('to be sent again');

interface BatchedCall {
  /** The script for many calls. */
  readonly many: Script;
  readonly args: readonly (string | number)[];
  readonly call: JointCall;
  readonly outcome: Outcome<unknown>;
}

/** Sends the calls of one tick as one script. */
export class ScriptBatches {
  readonly #client: ScriptSender;
  readonly #deadline: Deadline;
  readonly #batches: Batches<BatchedCall>;
  readonly #unloaded = new Set<Script>();

  constructor(client: ScriptSender, deadline: Deadline) {
    this.#client = client;
    this.#deadline = deadline;
    this.#batches = new Batches({
      fits: ({ many, args }, [first]) => first !== undefined && first.many === many && equal(first.args, args),
      sendAlone: (member) => void this.#sendAlone(member),
      send: (members) => void this.#send(members),
    });
  }

  /**
   * Calls a script, or `many` with other calls of this tick, within the deadline or `within` ms. A
   * call without company costs no more than by `callScript`.
   */
  call(many: Script, call: JointCall, within?: number): Promise<unknown> {
    const mend = (error: unknown, late: boolean): RacedCall<unknown> => {
      if (late && call.completes !== true) throw error;
      if (error === undecided) return sendScript(this.#client, call);
      return error === unloaded ? this.#join(many, call) : sendAgain(this.#client, call, error, late);
    };
    return this.#deadline.race(this.#join(many, call), () => call.what(), within, mend);
  }

  #join(many: Script, call: JointCall): RacedCall<unknown> {
    return (outcome) => this.#batches.add({ many, args: call.manyArgs(), call, outcome });
  }

  async #sendAlone({ call, outcome }: BatchedCall): Promise<void> {
    try {
      outcome.answered(await sendScript(this.#client, call));
    } catch (error) {
      outcome.failed(error);
    }
  }

  async #send(members: readonly BatchedCall[]): Promise<void> {
    const { many, args } = members[0] as BatchedCall;
    const keys = members.flatMap(({ call }) => call.manyKeys());
    const owners = members.map(({ call }) => call.owner);
    let replies: unknown;
    try {
      // One batch brings the text. Those after it find the script loaded.
      replies = this.#unloaded.delete(many)
        ? await this.#client.eval(many.lua, keys.length, ...keys, ...args, ...owners)
        : await this.#client.evalsha(many.sha, keys.length, ...keys, ...args, ...owners);
    } catch (error) {
      const reason = this.#reasonOf(error, many);
      for (const { outcome } of members) outcome.failed(reason);
      return;
    }
    const list: readonly unknown[] = Array.isArray(replies) ? replies : [];
    members.forEach(({ outcome }, index) => {
      if (Number(list[index]) > 0) outcome.answered(list[index]);
      else outcome.failed(undecided);
    });
  }

  #reasonOf(error: unknown, script: Script): unknown {
    if (isUnknownScript(error)) {
      this.#unloaded.add(script);
      return unloaded;
    }
    if (changedNothing(error)) return error;
    // The own script of each call finds out what the server refuses.
    return error instanceof Error && error.name === 'ReplyError' ? undecided : error;
  }
}

function equal(some: readonly unknown[], others: readonly unknown[]): boolean {
  for (let index = 0; index < some.length; index += 1) if (some[index] !== others[index]) return false;
  return true;
}
