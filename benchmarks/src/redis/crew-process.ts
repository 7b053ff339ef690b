import type { Assignment, Message, Order } from './crew-messages.ts';
import { openPushCrew } from './push-crew.ts';
import { push } from './push-name.ts';
import { openWorkerCrew } from './worker-crew.ts';
import type { Crew } from './worker-crew.ts';

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
    crew = await open(order.assignment);
    tell({ kind: 'ready' });
    return;
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
      tell({ kind: 'report', report: crew.report() });
      break;
    default:
      order satisfies never;
  }
}

function open(assignment: Assignment): Promise<Crew> {
  return assignment.subject === push ? openPushCrew(assignment) : openWorkerCrew(assignment);
}

function tell(message: Message): void {
  process.send?.(message, undefined, undefined, () => {});
}
