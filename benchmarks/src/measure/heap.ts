/** Bytes of heap per item of what `fill` leaves reachable. Needs --expose-gc. */
export async function heapPerItem(count: number, fill: (items: unknown[]) => Promise<void>): Promise<number> {
  const items: unknown[] = Array.from({ length: count });
  const before = await settledHeap();
  await fill(items);
  const after = await settledHeap();
  // Used afterwards, so that it stays reachable until then.
  if (items.length !== count) throw new Error(`${items.length} items instead of ${count}`);
  return (after - before) / count;
}

/** Twice, with a turn of the event loop between, to include what finalizers free. */
async function settledHeap(): Promise<number> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('The heap can only be measured with --expose-gc.');
  for (let pass = 0; pass < 3; pass += 1) {
    gc();
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
  return process.memoryUsage().heapUsed;
}
