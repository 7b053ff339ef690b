import type { Operation } from './call.ts';
import { serverError } from './codes.ts';
import type { ServerError } from './codes.ts';
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';
import { ProtocolError } from './protocol-error.ts';
import { readStat, writeAcl } from './records.ts';
import type { Stat } from './records.ts';
import type { Request } from './request.ts';
import { createFlags, readCreated } from './requests.ts';

/** The result of one step. */
export type OperationResult =
  | {
      readonly ok: true;
      /** Of a creation. */
      readonly path?: string;
      /**
       * For a change of data, and for the creation of a container. For other creations the `zxid`
       * of the answer is the `czxid`.
       */
      readonly stat?: Stat;
    }
  /** `UNDONE`: it would have worked; `NOT_TRIED`: an earlier one failed. */
  | { readonly ok: false; readonly error: ServerError | 'UNDONE' | 'NOT_TRIED'; readonly code: number };

/** All steps, or none. */
export interface MultiOutcome {
  readonly committed: boolean;
  /** One per step, in their order. */
  readonly results: readonly OperationResult[];
}

/** Why none of the steps was done. */
export interface FailedStep {
  readonly index: number;
  readonly error: ServerError;
  readonly code: number;
}

/** Several steps in one transaction. If a step fails, the answer is `ok` and not `committed`. */
export function multi(operations: readonly Operation[]): Request<MultiOutcome> {
  return {
    op: 14,
    call: { type: 'multi', operations },
    what: `a transaction of ${operations.length} operations, the first on "${operations[0]?.path ?? ''}"`,
    write(writer) {
      for (const operation of operations) {
        writeHeader(writer, operationOp(operation), false);
        writeOperation(writer, operation);
      }
      writeHeader(writer, -1, true);
    },
    read(reader) {
      const results: OperationResult[] = [];
      for (let header = readHeader(reader); !header.done; header = readHeader(reader)) {
        const operation = operations[results.length];
        if (operation === undefined) throw new ProtocolError('a transaction with more results than operations');
        results.push(readResult(reader, header.op, operation));
      }
      if (results.length < operations.length)
        throw new ProtocolError(`a transaction of ${operations.length} operations with ${results.length} results`);
      return { committed: results.every(({ ok }) => ok), results };
    },
  };
}

/** The failed step of a transaction that was not committed. */
export function failedStep({ results }: MultiOutcome): FailedStep {
  for (const [index, result] of results.entries()) {
    if (result.ok || result.error === 'UNDONE' || result.error === 'NOT_TRIED') continue;
    return { index, error: result.error, code: result.code };
  }
  throw new ProtocolError('a transaction that was not committed though no step of it failed');
}

function operationOp(operation: Operation): number {
  switch (operation.type) {
    case 'create':
      // In transactions servers treat "create2" as "create".
      return operation.kind === 'container' ? 19 : 1;
    case 'remove':
      return 2;
    case 'setData':
      return 5;
    case 'check':
      return 13;
  }
}

function writeOperation(writer: Writer, operation: Operation): void {
  writer.string(operation.path);
  if (operation.type === 'create') {
    writer.bytes(operation.data);
    writeAcl(writer, operation.acl);
    writer.int(createFlags[operation.kind]);
    return;
  }
  if (operation.type === 'setData') writer.bytes(operation.data);
  writer.int(operation.version ?? -1);
}

function writeHeader(writer: Writer, op: number, done: boolean): void {
  writer.int(op);
  writer.bool(done);
  writer.int(-1);
}

function readHeader(reader: Reader): { readonly op: number; readonly done: boolean } {
  const op = reader.int();
  const done = reader.bool();
  reader.int();
  return { op, done };
}

function readResult(reader: Reader, op: number, operation: Operation): OperationResult {
  if (op === -1) return readFailure(reader.int());
  if (operation.type === 'create' && (op === 1 || op === 15 || op === 19)) {
    const path = readCreated(reader, operation);
    return op === 1 ? { ok: true, path } : { ok: true, path, stat: readStat(reader) };
  }
  if (op !== operationOp(operation)) throw new ProtocolError(`a transaction with a result of the wrong type ${op}`);
  return operation.type === 'setData' ? { ok: true, stat: readStat(reader) } : { ok: true };
}

/** The result of a step that failed with `code`. */
export function readFailure(code: number): OperationResult {
  if (code === 0) return { ok: false, error: 'UNDONE', code };
  // Java's RUNTIMEINCONSISTENCY
  if (code === -2) return { ok: false, error: 'NOT_TRIED', code };
  return { ok: false, error: serverError(code), code };
}
