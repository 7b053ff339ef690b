import { checkRegister, providerClosed } from '@locks/core/adapter';
import type { Attempt as Asked, Attempted, Batches, Deadline } from '@locks/core/adapter';
import type { Claim, KeyState, RegisterChange, Renewal } from '@locks/core';
import { neverSent } from '../wire/client.ts';
import type { ScriptClient } from '../wire/client.ts';
import { grantGone, toAnswer, toInteger, toKeyState, toList, toLockError } from '../wire/replies.ts';
import { callScript } from '../wire/script-call.ts';
import type { ScriptSender } from '../wire/script-call.ts';
import { scriptBatches } from '../wire/script-batches.ts';
import type { JointCall } from '../wire/script-batches.ts';
import { scripts } from '../wire/scripts.ts';
import type { Script } from '../wire/scripts.ts';
import { unpipelined } from '../wire/unpipelined.ts';
import type { CallTerms } from './call-terms.ts';
import { Attempt, Confirmation, Release, Renewal as RenewalCall } from './lock-calls.ts';
import type { UnsettledAttempts } from './unsettled-attempts.ts';

export interface LockClients {
  readonly client: ScriptClient;
  /** Sends renewals, and confirms grants. @default the client */
  readonly writer: ScriptSender | undefined;
  /** Calls of one tick may travel together. */
  readonly together: boolean;
  /** Where attempts are counted until the client has settled them. Absent: not counted. */
  readonly unsettled: UnsettledAttempts | undefined;
}

/** The scripts of the locks, called with the arguments in their headers. */
export class LockScripts {
  readonly #client: ScriptClient;
  readonly #writer: ScriptSender | undefined;
  readonly #batches: Batches<JointCall, unknown> | undefined;
  readonly #unsettled: UnsettledAttempts | undefined;
  readonly #terms: CallTerms;
  readonly #deadline: Deadline;
  #closed = false;

  constructor(clients: LockClients, terms: CallTerms, deadline: Deadline) {
    const { writer, together, unsettled } = clients;
    const client = unpipelined(clients.client);
    this.#client = client;
    this.#writer = writer;
    this.#batches = together ? scriptBatches(client, deadline, terms.clock) : undefined;
    this.#unsettled = unsettled;
    this.#terms = terms;
    this.#deadline = deadline;
  }

  acquire({ claim, others, repeated, awaited, within }: Asked): Promise<Attempted> {
    this.checkOpen();
    const raises = claim.floor !== undefined && repeated;
    const call = new Attempt(this.#terms, claim, this.#client.status, { others, awaited, raises });
    const sender = this.#unsettled?.sender(this.#client, claim.owner) ?? this.#client;
    const attempt = this.#call(sender, call, within).then((reply) => {
      const [answer, ...mustLook] = Array.isArray(reply) ? (reply as readonly unknown[]) : [reply];
      if (others === undefined || others.length === 0) return toAnswer(answer);
      const kept = others.map(({ owner }) => owner).filter((owner) => !mustLook.includes(owner));
      return { ...toAnswer(answer), kept };
    });
    return this.#writer === undefined ? attempt : this.#confirmed(this.#writer, attempt, claim, within);
  }

  /**
   * `attempt`, once the replicas have its grant: a renewal over the writer follows the grant. A
   * busy answer needs none, so no `WAIT` of another claim delays it.
   */
  async #confirmed(
    writer: ScriptSender,
    attempt: Promise<Attempted>,
    claim: Claim,
    within: number,
  ): Promise<Attempted> {
    const { clock } = this.#terms;
    const end = clock.now() + within;
    const answer = await attempt;
    if (!answer.granted) return answer;
    const left = Math.max(1, end - clock.now());
    const call = new Confirmation(this.#terms, claim, this.#client.status, undefined);
    // Another server has become master without the grant.
    if (!toRenewal(await callScript(writer, this.#deadline, call, left))) throw grantGone(claim);
    return answer;
  }

  /** Not an async function: its extra promise would be garbage of each renewal. */
  renew(claim: Claim, token: bigint | undefined): Promise<Renewal | false> {
    try {
      this.checkOpen();
      const call = new RenewalCall(this.#terms, claim, this.#client.status, token);
      const reply =
        this.#writer === undefined ? this.#call(this.#client, call) : callScript(this.#writer, this.#deadline, call);
      return reply.then(toRenewal);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Resolves to 1 if it freed a hold, else to 0. */
  release(claim: Claim, awaited: boolean, within?: number): Promise<unknown> {
    this.checkOpen();
    return this.#call(this.#client, new Release(this.#terms, claim, this.#client.status, awaited), within);
  }

  async inspect(key: string): Promise<KeyState> {
    const what = (): string => `an inspection on ${JSON.stringify(key)}`;
    const { names, options } = this.#terms;
    return toKeyState(key, await this.#look(scripts.inspect, names.all(key), what, [options.foreign]));
  }

  /** Those of `keys` that are held or waited for. */
  async inUse(keys: readonly string[]): Promise<readonly string[]> {
    const { names, options } = this.#terms;
    const looks = batchesOf(keys, this.#batches === undefined ? 1 : keysOfLook).map(async (batch) => {
      const all = batch.flatMap((key) => names.all(key).slice(0, 5));
      const replies = toList(await this.#look(scripts.list, all, () => 'a list', [options.foreign]), 'a list');
      return batch.filter((_, index) => Number(replies[index]) === 1);
    });
    return (await Promise.all(looks)).flat();
  }

  /** Changes a register, and resolves to its text. */
  async register(name: string, change: RegisterChange | undefined): Promise<string | undefined> {
    checkRegister(name, change);
    const args = change === undefined ? [] : [change.from ?? '', change.to ?? ''];
    const keys = [this.#terms.names.register(name)];
    const what = (): string => `register ${JSON.stringify(name)}`;
    const [text] = toList(await this.#look(scripts.register, keys, what, args, this.#writer), what());
    return text === '' ? undefined : String(text);
  }

  /** The ms since 1970, by the clock of a server. */
  async time(): Promise<number> {
    const about = 'a read of the clock';
    // A Cluster needs a key to choose a server.
    const keys = [this.#terms.names.main('time')];
    return toInteger(await this.#look(scripts.time, keys, () => about), about);
  }

  /** @throws `LOCK_CLOSED` once it is closed. */
  checkOpen(): void {
    if (this.#closed) throw providerClosed('redis');
  }

  close(): void {
    this.#closed = true;
  }

  /** Calls a script that belongs to no claim. */
  async #look(
    script: Script,
    keys: readonly string[],
    what: () => string,
    args: readonly string[] = [],
    sender: ScriptSender = this.#client,
  ): Promise<unknown> {
    this.checkOpen();
    const { status } = this.#client;
    return await callScript(sender, this.#deadline, {
      script,
      input: () => [keys.length, ...keys, ...args],
      what,
      explain: (error) => toLockError(error, { what: what(), lua: script.lua, unsent: neverSent(status, error) }),
    });
  }

  #call(client: ScriptSender, call: JointCall, within: number = this.#deadline.timeout): Promise<unknown> {
    if (this.#batches === undefined || call.many === undefined) {
      return callScript(client, this.#deadline, call, within);
    }
    return this.#batches.call(call.lasting(within));
  }
}

/** More would delay other clients by more than half a millisecond. */
const keysOfLook = 100;

function batchesOf<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
}

/** For its whole ttl. */
const renewed: Renewal = Object.freeze({});

function toRenewal(reply: unknown): Renewal | false {
  return toInteger(reply, 'a renewal') === 1 ? renewed : false;
}
