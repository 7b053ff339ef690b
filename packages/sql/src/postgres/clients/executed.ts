import type { PgConnection, Reply, Value } from '../connection/connection.ts';

/**
 * A parameter of a statement: bytes are a `Buffer`, numbers and arrays text in the server's format.
 */
export type ExecutedValue = string | boolean | Buffer | null;

/** The answer to a statement. */
export interface PostgresAnswer {
  /** By the names of the columns, in their order: texts, numbers, bigints, booleans, arrays. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

type Execute = (text: string, values: readonly ExecutedValue[]) => Promise<PostgresAnswer>;

/** A connection made of one function that executes statements. */
export function executed(execute: Execute): PgConnection {
  return {
    async query(query) {
      const { text, values } = typeof query === 'string' ? { text: query, values: [] } : query;
      let answer: PostgresAnswer;
      try {
        answer = await execute(text, values.map(encoded));
      } catch (error) {
        throw withSeverity(error);
      }
      const rows = answer.rows ?? [];
      return {
        fields: Object.keys(rows[0] ?? {}).map((name) => ({ name })),
        rows: rows.map((row) => Object.values(row).map(decoded)),
      } satisfies Reply;
    },
  };
}

/** Encodes a value so that any library of Postgres can send it. */
export function encoded(value: Value): ExecutedValue {
  if (Array.isArray(value)) return `{${(value as readonly (string | Buffer)[]).map(element).join(',')}}`;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return value as ExecutedValue;
}

function element(value: string | Buffer): string {
  const text = typeof value === 'string' ? value : `\\x${value.toString('hex')}`;
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** In the server's format. */
function decoded(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (Array.isArray(value)) return `{${value.map(decoded).join(',')}}`;
  // Libraries have classes for large or exact numbers.
  return (value as { toString(): string }).toString();
}

/**
 * Adds what distinguishes an error of the server from one of the library, which has no such code.
 */
function withSeverity(error: unknown): unknown {
  const { code, severity } = (error ?? {}) as { readonly code?: unknown; readonly severity?: unknown };
  if (severity !== undefined || typeof code !== 'string' || !/^(?=.*\d)[\dA-Z]{5}$/.test(code)) return error;
  const { message } = error as Error;
  return Object.assign(new Error(message, { cause: error }), { code, severity: 'ERROR' });
}
