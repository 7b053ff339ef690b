/** Milliseconds as microseconds. */
export function micros(milliseconds: number): string {
  return `${Math.round(milliseconds * 1_000)}`;
}

/** Upper case, as the server's HEX returns it. */
export function hex(text: string): string {
  return Buffer.from(text).toString('hex').toUpperCase();
}

/** The key of a register's row, in hexadecimal: UTF-8 has no byte 254. */
export function registerKey(name: string): string {
  return `FE${hex(name)}`;
}

/**
 * The first bytes, in hexadecimal, after all keys that begin with `prefix`: the last byte of UTF-8
 * is never the highest.
 */
export function endOf(prefix: string): string {
  const bytes = Buffer.from(prefix);
  if (bytes.length === 0) return 'FF';
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) + 1;
  return bytes.toString('hex').toUpperCase();
}

/**
 * `values`, padded with the first one to a power of two, which limits the number of prepared
 * statements.
 */
export function powerOfTwo(values: readonly string[]): readonly string[] {
  const length = 2 ** Math.ceil(Math.log2(values.length));
  return Array.from({ length }, (_, index) => values[index] ?? values[0] ?? '');
}

/** A placeholder for each of `keys`, which are in hexadecimal. */
export function placesOf(keys: readonly string[]): string {
  return keys.map(() => 'UNHEX(?)').join(', ');
}
