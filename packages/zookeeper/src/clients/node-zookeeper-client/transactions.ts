import type { Operation } from '../../wire/call.ts';
import type { Answer } from '../../wire/answer.ts';
import { readFailure } from '../../wire/multi.ts';
import type { MultiOutcome, OperationResult } from '../../wire/multi.ts';
import { createFlags } from '../../wire/requests.ts';
import { refused } from './ask.ts';
import type { Asked } from './ask.ts';
import type { ClientCallback, ClientStat, ClientTransaction, NodeZookeeperClient } from './client.ts';
import { makeContainer } from './insides.ts';
import { readClientStat, writeClientAcl } from './records.ts';

interface ClientResult {
  readonly type: number;
  readonly path?: string;
  readonly stat?: ClientStat;
  readonly err?: number;
}

type Ask = (
  run: (callback: ClientCallback<[results: object[] | undefined]>) => void,
) => Promise<Asked<[results: object[] | undefined]>>;

const failure = -1;
const badArguments = -8;
const unimplemented = -6;
const nodeExists = -110;
const undone = 0;
const notTried = -2;

/** The client takes 0 for "any version". This is truthy, and written as 0. */
const versionZero = 0.5;

/**
 * Executes `operations` in one transaction. The client's transactions cannot create containers. One
 * with `beforehand` is created first, and the answer reports that it exists: the caller continues
 * without that step. Other containers are refused.
 */
export async function performMulti(
  client: NodeZookeeperClient,
  operations: readonly Operation[],
  ask: Ask,
): Promise<Answer<MultiOutcome>> {
  const fail = (failed: number, code: number): Answer<MultiOutcome> =>
    answer(operations.map((_, step) => readFailure(codeOfStep(step, failed, code))));
  const transaction = client.transaction();
  for (const [index, operation] of operations.entries()) {
    if (operation.type === 'create' && operation.kind === 'container') {
      if (operation.beforehand !== true) return fail(index, unimplemented);
      const { code } = await ask((done) => makeContainer(client, operation, (error) => done(error, undefined)));
      return fail(index, code === 0 ? nodeExists : code);
    }
    try {
      add(transaction, operation);
    } catch {
      // The client does not send a path that the servers would refuse.
      return fail(index, badArguments);
    }
  }
  const { code, values } = await ask((done) => transaction.commit(done));
  const [results] = values;
  if (results === undefined) return refused(code);
  return answer((results as readonly ClientResult[]).map(readResult));
}

function add(transaction: ClientTransaction, operation: Operation): void {
  const { path } = operation;
  switch (operation.type) {
    case 'create': {
      const { kind, data, acl } = operation;
      transaction.create(path, data, writeClientAcl(acl), createFlags[kind]);
      return;
    }
    case 'setData':
      transaction.setData(path, operation.data, versionOf(operation));
      return;
    case 'remove':
      transaction.remove(path, versionOf(operation));
      return;
    case 'check':
      transaction.check(path, versionOf(operation));
      return;
    default:
      operation satisfies never;
  }
}

function versionOf({ version = -1 }: { readonly version?: number }): number {
  return version === 0 ? versionZero : version;
}

function codeOfStep(step: number, failed: number, code: number): number {
  if (step === failed) return code;
  return step < failed ? undone : notTried;
}

function readResult({ type, path, stat, err }: ClientResult): OperationResult {
  if (type === failure) return readFailure(err ?? notTried);
  return {
    ok: true,
    ...(path === undefined ? {} : { path }),
    ...(stat === undefined ? {} : { stat: readClientStat(stat) }),
  };
}

function answer(results: readonly OperationResult[]): Answer<MultiOutcome> {
  return { ok: true, value: { committed: results.every(({ ok }) => ok), results }, zxid: 0n };
}
