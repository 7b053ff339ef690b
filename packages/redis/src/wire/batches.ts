import type { Deadline, Outcome, RacedCall } from '@locks/core/adapter';
import { isUnknownScript, sendAgain, sendScript } from './script-call.ts';
import type { ScriptCall, ScriptSender } from './script-call.ts';
import type { Script } from './scripts.ts';

/**
 * So many calls travel as one script at most. With more, a script keeps the server from others for
 * longer, and client and server work by turns. With fewer, both have more commands to handle.
 */
const largest = 32;

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

interface Member {
  readonly call: JointCall;
  readonly outcome: Outcome<unknown>;
}

interface Batch {
  readonly script: Script;
  readonly args: readonly (string | number)[];
  readonly members: Member[];
}

/** Sends the calls of one tick as one script. */
export class Batches {
  readonly #client: ScriptSender;
  readonly #deadline: Deadline;
  #open: Batch[] = [];
  readonly #unloaded = new Set<Script>();

  constructor(client: ScriptSender, deadline: Deadline) {
    this.#client = client;
    this.#deadline = deadline;
  }

  /**
   * Calls a script, or `many` with other calls of this tick, within the deadline or `within` ms. A
   * call without company costs no more than by `callScript`.
   */
  call(many: Script, call: JointCall, within?: number): Promise<unknown> {
    const mend = (error: unknown): RacedCall<unknown> => {
      if (error === undecided) return sendScript(this.#client, call);
      return error === unloaded ? this.#join(many, call) : sendAgain(this.#client, call, error);
    };
    return this.#deadline.race(this.#join(many, call), () => call.what(), within, mend);
  }

  #join(script: Script, call: JointCall): RacedCall<unknown> {
    return (outcome) => void this.#batchFor(script, call.manyArgs()).members.push({ call, outcome });
  }

  #batchFor(script: Script, args: readonly (string | number)[]): Batch {
    const open = this.#open.findLast((one) => one.script === script && equal(one.args, args));
    if (open !== undefined && open.members.length < largest) return open;
    const batch: Batch = { script, args, members: [] };
    // After the answers that arrived together were all handed out.
    if (this.#open.push(batch) === 1) process.nextTick(() => this.#flush());
    return batch;
  }

  #flush(): void {
    const batches = this.#open;
    this.#open = [];
    for (const batch of batches) {
      const [first] = batch.members;
      if (first !== undefined && batch.members.length === 1) void this.#sendAlone(first);
      else void this.#send(batch);
    }
  }

  async #sendAlone({ call, outcome }: Member): Promise<void> {
    try {
      outcome.answered(await sendScript(this.#client, call));
    } catch (error) {
      outcome.failed(error);
    }
  }

  async #send({ script, args, members }: Batch): Promise<void> {
    const keys = members.flatMap(({ call }) => call.manyKeys());
    const owners = members.map(({ call }) => call.owner);
    let replies: unknown;
    try {
      // One batch brings the text. Those after it find the script loaded.
      replies = this.#unloaded.delete(script)
        ? await this.#client.eval(script.lua, keys.length, ...keys, ...args, ...owners)
        : await this.#client.evalsha(script.sha, keys.length, ...keys, ...args, ...owners);
    } catch (error) {
      const reason = this.#reasonOf(error, script);
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
    // The own script of each call finds out what the server refuses.
    return error instanceof Error && error.name === 'ReplyError' ? undecided : error;
  }
}

function equal(some: readonly unknown[], others: readonly unknown[]): boolean {
  for (let index = 0; index < some.length; index += 1) if (some[index] !== others[index]) return false;
  return true;
}
