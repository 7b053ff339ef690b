import type { Crew } from './crew.ts';
import type { Assignment, Backend, Message, Order } from './crew-messages.ts';

/** Of the one that is needed only. */
const backends: Readonly<Record<Backend, () => Promise<(assignment: Assignment) => Promise<Crew>>>> = {
  redis: async () => (await import('../redis/redis-crew.ts')).openCrew,
  sql: async () => (await import('../sql/sql-crew.ts')).openCrew,
  zookeeper: async () => (await import('../zookeeper/zookeeper-crew.ts')).openCrew,
};

// One process of a crew: it does as it is told, and ends with whoever started it.
let crew: Crew | undefined;

process.on('disconnect', () => process.exit());
process.on('message', (order: Order) => {
  obey(order).catch((error: unknown) => {
    tell({ kind: 'broken', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  });
});

async function obey(order: Order): Promise<void> {
  if (order.kind === 'prepare') {
    const open = await backends[order.assignment.backend]();
    crew = await open(order.assignment);
    tell({ kind: 'ready' });
    return;
  }
  if (order.kind === 'leave') {
    await crew?.close?.();
    process.exit();
  }
  if (crew === undefined) throw new Error(`"${order.kind}" came before "prepare"`);
  switch (order.kind) {
    case 'begin':
      void crew.done.then(() => tell({ kind: 'done' }));
      await crew.begin();
      tell({ kind: 'inLine' });
      break;
    case 'measure':
      crew.measure();
      setInterval(() => tell({ kind: 'progress', grants: crew?.grants ?? 0 }), 100);
      break;
    case 'stop':
      tell({ kind: 'report', report: await crew.report() });
      break;
    default:
      order satisfies never;
  }
}

function tell(message: Message): void {
  process.send?.(message, undefined, undefined, () => {});
}
