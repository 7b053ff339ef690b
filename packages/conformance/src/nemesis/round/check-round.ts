import { checkHistory } from '@locks/core/testing';
import type { HistoryEvent, Violation } from '@locks/core/testing';
import type { Explains } from '@locks/core/testing';
import type { Script } from '../script.ts';
import type { NemesisTarget } from '../target.ts';
import type { Note } from '../worker/messages.ts';

/** The most heap of a worker at its end, in bytes. */
const heapBound = 200 * 2 ** 20;
/** In ms: what follows the end of the last dead holder. */
const calmMargin = 2_000;
/** Faults of the network in which a worker reaches no server, if there is only one. */
const silent: ReadonlySet<string> = new Set(['silence', 'no-requests', 'no-replies', 'refuse']);

/** The guarantees that a round violates. */
export function checkRound(
  history: readonly HistoryEvent[],
  notes: readonly Note[],
  script: Script,
  { ttl: usual, faults = {}, servers = [], fair, sharersMayTie, duplicable, healing = 0 }: NemesisTarget,
): Violation[] {
  const slotOf = (process: string): string => process.replace(/\..*/, '');
  const kinds = (which: 'empties' | 'silences' | 'refuses' | 'restores'): string[] =>
    Object.entries(faults).flatMap(([kind, fault]) => (fault[which] === true ? [kind] : []));
  const silencing = kinds('silences');
  const forgetting = Object.entries(faults).flatMap(([kind, { empties, doubles = empties }]) =>
    doubles ? [kind] : [],
  );
  // A pause of one worker may delay others that share a file; a kill does not.
  const explains: Explains = ({ kind, hit }, process) =>
    kind !== 'kill' && kind !== 'close' && (hit === undefined || slotOf(hit) === slotOf(process) || kind === 'pause');
  const turns = script.workers.flatMap(({ flows }) => flows.flat());
  const dead = Math.max(usual, ...turns.map(({ ttl = usual, lockDelay = 0 }) => ttl + lockDelay));
  const shown = checkHistory(history, {
    ...{ sharersMayTie, requestsMayRepeat: duplicable, fair, explains },
    ...{ emptying: kinds('empties'), forgetting, refusing: kinds('refuses'), restoring: kinds('restores') },
    stopping: ['pause', 'block', 'stall'],
    silences: ({ kind, hit }, process) =>
      silencing.includes(kind) || (servers.length === 1 && hit === process && silent.has(kind)),
    ...{ patience: dead + healing + calmMargin, calmPatience: dead + healing + calmMargin },
  });
  return [...shown, ...notes.flatMap(checkNote)];
}

/** Uncaught errors; workers with a heap full of finished work, or kept running by the locks. */
function checkNote(note: Note): Violation[] {
  const broken = (message: string): Violation => ({ rule: 'processes', message, at: note.at, ids: [] });
  if (note.type === 'crash') return [broken(`a worker has an error: ${note.message}`)];
  if (note.type !== 'close') return [];
  const { heap, open } = note;
  const foreign = open.filter((name) => !name.startsWith('PipeWrap') && name !== 'TTYWrap');
  return [
    ...(heap > heapBound ? [broken(`a worker has a heap of ${Math.round(heap / 2 ** 20)} MiB at its end`)] : []),
    ...(foreign.length > 0 ? [broken(`a worker has open after close: ${foreign.join(', ')}`)] : []),
  ];
}
