/** Some of the keys of a list. */
export interface ListedKeys {
  readonly keys: readonly string[];
  /** What to read after. `undefined`: there are no more. */
  readonly next: string | undefined;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Of rows that have keys in hexadecimal. A row whose key is no text is another program's. */
export function listedKeys(rows: readonly string[], limit: number): ListedKeys {
  const keys = rows.flatMap((row) => {
    try {
      return [utf8.decode(Buffer.from(row, 'hex'))];
    } catch {
      return [];
    }
  });
  return { keys, next: rows.length < limit ? undefined : rows.at(-1) };
}
