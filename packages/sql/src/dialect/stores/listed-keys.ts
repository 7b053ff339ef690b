/** One page of a list of keys. */
export interface ListedKeys {
  readonly keys: readonly string[];
  /** The key to continue after. `undefined`: the list is complete. */
  readonly next: string | undefined;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses rows of hexadecimal keys. A row whose key is no text belongs to another program. */
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
