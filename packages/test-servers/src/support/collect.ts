/** All that `source` yields. */
export async function collect<T>(source: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}
