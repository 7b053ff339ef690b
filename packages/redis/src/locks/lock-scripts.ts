import { LockError } from '@locks/core/adapter';
import type { Deadline, Waiting } from '@locks/core/adapter';
import type { Claim, Grant, KeyState, Renewal } from '@locks/core';
import { neverSent } from '../wire/client.ts';
import type { ScriptClient } from '../wire/client.ts';
import type { KeyNames } from './keys.ts';
import type { ReadRedisOptions } from '../options/options.ts';
import { outlivesGuard } from '../wire/restart-guard.ts';
import { toAnswer, toInteger, toKeyState, toLockError } from '../wire/replies.ts';
import { callScript } from '../wire/script-call.ts';
import { scripts } from '../wire/scripts.ts';
import type { Script } from '../wire/scripts.ts';

/** What calls scripts that grant and renew. */
type LockWriter = Pick<ScriptClient, 'evalsha' | 'eval' | 'status'>;

/** What the scripts go over. */
export interface LockClients {
  readonly client: ScriptClient;
  /** @default the client */
  readonly writer: LockWriter | undefined;
}

/** The scripts of the locks, called with the arguments that their headers list. */
export class LockScripts {
  readonly #client: ScriptClient;
  /** What grants and renewals go over. */
  readonly #writer: LockWriter;
  readonly #options: ReadRedisOptions;
  readonly #names: KeyNames;
  readonly #deadline: Deadline;
  readonly #process: string;
  #closed = false;

  /** `process` is what the store calls this process: its part of the name of the wake channel. */
  constructor(
    { client, writer }: LockClients,
    options: ReadRedisOptions,
    names: KeyNames,
    deadline: Deadline,
    process: string,
  ) {
    this.#client = client;
    this.#writer = writer ?? client;
    this.#options = options;
    this.#names = names;
    this.#deadline = deadline;
    this.#process = process;
  }

  /**
   * Takes the key. With `others` it takes a place in line, or keeps it, and keeps those of
   * `others`.
   */
  async acquire(claim: Claim, others?: readonly Claim[], within?: number): Promise<Grant | Waiting> {
    const { key, owner, ttl, mode, permits, floor } = claim;
    const { waiterTtl, channelPrefix, fair, restartGuard } = this.#options;
    const inLine = others === undefined ? 0 : 1;
    const args = [owner, ttl, floor === undefined ? 0 : `${floor}`, this.#retention(ttl)];
    args.push(this.#waiter(claim), inLine, waiterTtl, channelPrefix, fair ? 0 : 1);
    if (mode === 'shared') args.push(permits ?? '*');
    if (others !== undefined) for (const other of others) args.push(this.#waiter(other));
    const script = mode === 'shared' ? scripts.acquireShared : scripts.acquire;
    let keys = this.#names.all(key);
    if (restartGuard !== undefined) {
      if (ttl > restartGuard) throw outlivesGuard(claim, restartGuard);
      keys = [...keys, this.#names.marker];
      args.push(restartGuard);
    }
    return toAnswer(await this.#run(script, claim, args, 'an attempt', within, keys));
  }

  async renew(claim: Claim, token: bigint | undefined): Promise<Renewal | false> {
    const { owner, ttl } = claim;
    const args = [owner, ttl, token === undefined ? '' : `${token}`, this.#retention(ttl), this.#options.channelPrefix];
    const reply = await this.#run(scripts.renew, claim, args, 'a renewal');
    return toInteger(reply, 'a renewal') === 1 ? {} : false;
  }

  /** Resolves to 1 if it freed a hold, else to 0. */
  release(claim: Claim, within?: number): Promise<unknown> {
    const args = [claim.owner, this.#waiter(claim), this.#options.channelPrefix];
    return this.#run(scripts.release, claim, args, 'a release', within);
  }

  async inspect(key: string): Promise<KeyState> {
    return toKeyState(key, await this.#run(scripts.inspect, { key }, [], 'an inspection'));
  }

  /** @throws `LOCK_CLOSED` once it is closed. */
  checkOpen(): void {
    if (this.#closed) throw closedError();
  }

  close(): void {
    this.#closed = true;
  }

  #run(
    script: Script,
    claim: Claim | { readonly key: string },
    args: readonly (string | number)[],
    about: string,
    within?: number,
    keys: readonly string[] = this.#names.all(claim.key),
  ): Promise<unknown> {
    this.checkOpen();
    const what = (): string => `${about} on ${JSON.stringify(claim.key)}`;
    const { status } = this.#client;
    const owned = 'owner' in claim ? claim : undefined;
    const explain = (error: unknown): LockError =>
      toLockError(error, { what: what(), claim: owned, lua: script.lua, unsent: neverSent(status, error) });
    const call = { script, keys, args, what, explain };
    const writes = script !== scripts.release && script !== scripts.inspect;
    return callScript(writes ? this.#writer : this.#client, this.#deadline, call, within);
  }

  /** What a line calls the claim: its kind, its process and its owner. */
  #waiter({ owner, mode, permits }: Claim): string {
    return `${mode === 'exclusive' ? 'x' : `s${permits ?? '*'}`} ${this.#process} ${owner}`;
  }

  /** A counter must outlive the hold it belongs to. */
  #retention(ttl: number): number {
    return Math.max(this.#options.tokenRetention, ttl * 2);
  }
}

export function closedError(): LockError {
  return new LockError('LOCK_CLOSED', 'The redis provider is closed.');
}
