import type { PgConnection, Reply, Value } from '../connection/connection.ts';

/** What a statement is given: bytes as a `Buffer`, numbers and arrays as the server writes them. */
export type ExecutedValue = string | boolean | Buffer | null;

/** What a statement is answered with. */
export interface PostgresAnswer {
  /** By the names of the columns, in their order: texts, numbers, bigints, booleans, arrays. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

type Execute = (text: string, values: readonly ExecutedValue[]) => Promise<PostgresAnswer>;

/** A connection by the one function that executes statements. */
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

/** What any library of Postgres can send. */
export function encoded(value: Value): ExecutedValue {
  if (Array.isArray(value)) return `{${(value as readonly (string | Buffer)[]).map(element).join(',')}}`;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return value as ExecutedValue;
}

function element(value: string | Buffer): string {
  const text = typeof value === 'string' ? value : `\\x${value.toString('hex')}`;
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** As the server writes it. */
function decoded(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (Array.isArray(value)) return `{${value.map(decoded).join(',')}}`;
  // Libraries have classes for numbers that are large, or exact.
  return (value as { toString(): string }).toString();
}

/** What tells an error of the server from one of the library, which has no such code. */
function withSeverity(error: unknown): unknown {
  const { code, severity } = (error ?? {}) as { readonly code?: unknown; readonly severity?: unknown };
  if (severity !== undefined || typeof code !== 'string' || !/^(?=.*\d)[\dA-Z]{5}$/.test(code)) return error;
  const { message } = error as Error;
  return Object.assign(new Error(message, { cause: error }), { code, severity: 'ERROR' });
}
