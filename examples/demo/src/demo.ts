import type { Arguments } from './arguments.ts';
import type { Crew, Victim } from './crew.ts';
import { openCrew } from './open-crew.ts';
import { run } from './run.ts';
import type { Screen } from './screen.ts';
import { formatTable } from './table.ts';
import { judge } from './verdict.ts';

/** Runs the demo. Resolves to whether the lock kept its promise. */
export async function demo(options: Arguments, screen: Screen, signal: AbortSignal): Promise<boolean> {
  const crew = await openCrew(options.url, signal);
  try {
    return await compareRuns(crew, options, screen);
  } finally {
    await crew.close();
  }
}

/** Lets `crew` work without a lock and with one. Resolves to whether the lock kept its promise. */
export async function compareRuns(crew: Crew, options: Arguments, screen: Screen): Promise<boolean> {
  const { workers, updates } = options;
  screen.say(`${introduce(options, crew)}\n`);
  const victim = chooseVictim(options, crew);
  const without = await run(crew, { workers, updates, locked: false }, 'without a lock', screen);
  const under = await run(
    crew,
    { workers, updates, locked: true, ...(victim && { victim }) },
    'with a lock   ',
    screen,
  );
  screen.say(`\n${formatTable(['without a lock', 'with a lock'], [without, under], screen.paint)}\n`);
  const { kept, line } = judge(without, under, workers);
  screen.say(screen.paint(kept ? 'bold' : 'red', line));
  return kept;
}

function introduce({ workers, updates }: Arguments, { workerKind, lockPlace }: Crew): string {
  const subject = workers === 1 ? `1 worker, ${workerKind}, has` : `${workers} workers, each ${workerKind}, share`;
  const often = updates === 1 ? 'once' : `${updates} times`;
  return [
    `${subject} one bank balance.`,
    `${workers === 1 ? 'It' : 'Each'} adds 1 to it ${often}: read the balance, pause, write it back.`,
    `The lock is in ${lockPlace}.`,
  ].join('\n');
}

function chooseVictim({ workers, updates }: Arguments, { mortal }: Crew): Victim | undefined {
  if (!mortal || workers === 1) return undefined;
  return { worker: Math.min(3, workers), after: Math.floor(updates / 2) };
}
