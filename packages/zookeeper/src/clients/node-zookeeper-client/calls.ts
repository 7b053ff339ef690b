import type { NewNode } from '../../wire/call.ts';
import type { Answer } from '../../wire/answer.ts';
import { fatalCode } from '../../wire/codes.ts';
import type { FatalCode } from '../../wire/codes.ts';
import type { Call } from '../../wire/call.ts';
import type { WatchEvent } from '../../wire/records.ts';
import { createFlags } from '../../wire/requests.ts';
import { ask, refused } from './ask.ts';
import type { Asked } from './ask.ts';
import type { ClientCallback, ClientEvent, ClientStat, NodeZookeeperClient } from './client.ts';
import { chrootOf, makeChroot, makeContainer } from './insides.ts';
import { readClientStat, writeClientAcl } from './records.ts';
import { performMulti } from './transactions.ts';
import type { WatchBudget } from './watch-budget.ts';

export interface CallParts {
  readonly client: NodeZookeeperClient;
  readonly watcher: (event: ClientEvent) => void;
  readonly watches: WatchBudget;
  /** For watches that fired before they were set again. */
  fire(event: WatchEvent): void;
  /** A request was answered; its answer names this highest transaction. */
  answered(zxid: bigint): void;
}

/** The connection has ended, or must end, before the answer. */
export class CallLostError extends Error {
  override readonly name = 'CallLostError';
  readonly code: FatalCode;

  constructor(code: FatalCode) {
    super(`the client has answered ${code}`);
    this.code = code;
  }
}

/** A node created in the same transaction has gone, so its number cannot be read. */
const unknownZxid = 0n;

/** The code of a server that accepts no more watches. */
const throttled = -127;

/**
 * The answer to `call`. Rejects with {@link CallLostError}. In some cases the client never calls
 * back, so the caller must not rely on this only.
 */
export async function perform(parts: CallParts, call: Call): Promise<Answer<unknown>> {
  const { client, watcher } = parts;
  switch (call.type) {
    case 'create':
      return await create(parts, call.node);
    case 'remove': {
      const { code } = await asked(parts, (done) => client.remove(call.path, call.version, done));
      return code === 0 ? { ok: true, value: undefined, zxid: unknownZxid } : refused(code);
    }
    case 'exists':
      return await exists(parts, call.path);
    case 'getData': {
      if (call.watch && !parts.watches.take(call.path)) return refused(throttled);
      const { code, values } = await asked<[data: Buffer | undefined, stat: ClientStat]>(parts, (done) =>
        call.watch ? client.getData(call.path, watcher, done) : client.getData(call.path, done),
      );
      if (code !== 0) {
        if (call.watch) parts.watches.give(call.path);
        return refused(code);
      }
      return statAnswer(parts, values[1], (stat) => ({ data: values[0] ?? Buffer.alloc(0), stat }));
    }
    case 'getChildren': {
      const { code, values } = await asked<[children: string[], stat: ClientStat]>(parts, (done) =>
        client.getChildren(call.path, done),
      );
      return code === 0 ? statAnswer(parts, values[1], (stat) => ({ children: values[0], stat })) : refused(code);
    }
    case 'setData': {
      const { path, data, version } = call;
      const { code, values } = await asked<[ClientStat]>(parts, (done) => client.setData(path, data, version, done));
      return code === 0 ? statAnswer(parts, values[0], (stat) => stat) : refused(code);
    }
    case 'multi': {
      const answer = await performMulti(client, call.operations, (run) => asked(parts, run));
      if (!answer.ok || !answer.value.committed) return answer;
      const made = answer.value.results.findLast((result) => result.ok && result.path !== undefined);
      if (!made?.ok || made.path === undefined) return answer;
      const found = await exists(parts, made.path);
      return { ...answer, zxid: found.ok ? found.value.czxid : unknownZxid };
    }
    case 'sync':
      return await sync(parts, call.path);
    case 'setWatches':
      await Promise.all(call.paths.map((path) => watchAgain(parts, path, call.lastZxid)));
      return { ok: true, value: undefined, zxid: unknownZxid };
    case 'removeWatches':
      // The client cannot. The watch ends with the node, or with the session.
      return { ok: true, value: undefined, zxid: unknownZxid };
    case 'closeSession':
      client.close();
      // The end of the connection is the answer.
      return await new Promise<never>(() => {});
    default:
      return call satisfies never;
  }
}

/** Throws for an answer after which the connection is unusable. */
async function asked<Values extends readonly unknown[]>(
  { answered }: CallParts,
  run: (callback: ClientCallback<Values>) => void,
): Promise<Asked<Values>> {
  const reply = await ask<Values>(run);
  const fatal = fatalCode(reply.code);
  if (fatal !== undefined) throw new CallLostError(fatal);
  answered(unknownZxid);
  return reply;
}

/** The client's "create" does not return the transaction, so it is requested afterwards. */
async function create(parts: CallParts, node: NewNode): Promise<Answer<unknown>> {
  const { client } = parts;
  const { path, data, acl, kind } = node;
  const { code, values } = await asked<[string]>(parts, (done) => {
    const made = (error: object | null): void => done(error, path);
    if (kind === 'container') makeContainer(client, node, made);
    else if (path === '/' && chrootOf(client) !== '') makeChroot(client, node, made);
    else client.create(path, data, writeClientAcl(acl), createFlags[kind], done);
  });
  if (code !== 0) return refused(code);
  const found = await exists(parts, values[0]);
  if (!found.ok) throw new Error(`the node ${path} was made, and has gone`);
  const stat = found.value;
  return { ok: true, value: { path: values[0], stat }, zxid: stat.czxid };
}

async function exists(parts: CallParts, path: string): Promise<Answer<ReturnType<typeof readClientStat>>> {
  const { code, values } = await asked<[ClientStat | null]>(parts, (done) => parts.client.exists(path, done));
  if (code !== 0) return refused(code);
  if (values[0] === null) return refused(-101);
  return statAnswer(parts, values[0], (stat) => stat);
}

/**
 * The client has no "sync". A transaction goes to the leader and returns through the server of this
 * connection, whether its check succeeds or not.
 */
async function sync(parts: CallParts, path: string): Promise<Answer<unknown>> {
  const answer = await performMulti(parts.client, [{ type: 'check', path }], (run) => asked(parts, run));
  return answer.ok ? { ok: true, value: undefined, zxid: unknownZxid } : answer;
}

/** The client sets its watches again, but does not report whether the server accepted them. */
async function watchAgain(parts: CallParts, path: string, lastZxid: bigint): Promise<void> {
  const answer = await perform(parts, { type: 'getData', path, watch: true });
  if (!answer.ok) parts.fire({ type: 'deleted', path });
  else if ((answer.value as { stat: { mzxid: bigint } }).stat.mzxid > lastZxid) parts.fire({ type: 'changed', path });
}

function statAnswer<T>(
  { answered }: CallParts,
  stat: ClientStat,
  valueOf: (stat: ReturnType<typeof readClientStat>) => T,
): Answer<T> {
  const read = readClientStat(stat);
  const { czxid, mzxid, pzxid } = read;
  const zxid = [czxid, mzxid, pzxid].reduce((one, other) => (one > other ? one : other));
  answered(zxid);
  return { ok: true, value: valueOf(read), zxid };
}
