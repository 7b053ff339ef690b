import { serveParent } from '@locks/conformance/processes';
import type { Crew } from './crew.ts';
import type { Assignment, Backend, Request } from './crew-messages.ts';

/** Loads only the needed one. */
const backends: Readonly<Record<Backend, () => Promise<(assignment: Assignment) => Promise<Crew>>>> = {
  redis: async () => (await import('../redis/redis-crew.ts')).openCrew,
  redlock: async () => (await import('../redlock/redlock-crew.ts')).openCrew,
  sql: async () => (await import('../sql/sql-crew.ts')).openCrew,
  zookeeper: async () => (await import('../zookeeper/zookeeper-crew.ts')).openCrew,
};

let crew: Crew | undefined;

// One process of a crew executes requests.
serveParent(async (request: Request) => {
  if (request.kind === 'prepare') {
    const open = await backends[request.assignment.backend]();
    crew = await open(request.assignment);
    return undefined;
  }
  if (request.kind === 'leave') {
    await crew?.close?.();
    process.exit();
  }
  if (crew === undefined) throw new Error(`"${request.kind}" came before "prepare"`);
  switch (request.kind) {
    case 'begin':
      return await crew.begin();
    case 'finish':
      return await crew.done;
    case 'measure':
      return crew.measure();
    case 'grants':
      return crew.grants;
    case 'report':
      return await crew.report();
    default:
      return request satisfies never;
  }
});
