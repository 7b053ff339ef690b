/**
 * The name `host:port` of the master of each slot, and those of its replicas, as `CLUSTER SLOTS`
 * says it. Slots without a master are missing. `asked` is the host that was asked, for nodes that
 * do not know their own.
 */
export function readSlots(reply: unknown, asked: string): readonly (readonly string[])[] {
  const slots: (readonly string[])[] = [];
  if (!Array.isArray(reply)) return slots;
  for (const [from, to, ...nodes] of reply as readonly [unknown, unknown, ...unknown[]][]) {
    const names = nodes.map((node) => {
      const [host, port] = node as readonly [string | null, number];
      return `${host === null || host === '' ? asked : host}:${port}`;
    });
    for (let slot = Number(from); slot <= Number(to); slot += 1) slots[slot] = names;
  }
  return slots;
}
