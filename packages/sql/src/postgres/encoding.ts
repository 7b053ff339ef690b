/** A key as stored in the table. */
export function bytes(text: string): Buffer {
  return Buffer.from(text);
}

/** The lowest bytes after all that begin with `prefix`: UTF-8 has no byte 255. */
export function firstAfter(prefix: Buffer): Buffer | null {
  const last = prefix.at(-1);
  return last === undefined ? null : Buffer.concat([prefix.subarray(0, -1), Buffer.of(last + 1)]);
}

/** The key of a register's row: UTF-8 has no byte 254. */
export function registerKey(name: string): Buffer {
  return Buffer.concat([Buffer.of(0xfe), bytes(name)]);
}
