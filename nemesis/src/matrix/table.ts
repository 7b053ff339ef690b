import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ListedTarget } from '../targets/listed.ts';
import { targets } from '../targets/index.ts';
import { cellsOf, kindsOf } from './cells.ts';
import { type Result, readResults } from './results.ts';

/** A summary of the results of one target, kept in the repository. */
interface Summary {
  /** The day of the last run. */
  readonly last: string;
  readonly rounds: number;
  /** How many of its cells were run. */
  readonly cells: number;
  /** The seeds of the last runs that violated a guarantee, if none passed since. */
  readonly broken: readonly number[];
}
type Summaries = Readonly<Record<string, Summary>>;

const summaryFile = fileURLToPath(new URL('../../results.json', import.meta.url));
const page = fileURLToPath(new URL('../../../docs/safety.md', import.meta.url));
const [begin, end] = ['<!-- nemesis: begin -->\n', '<!-- nemesis: end -->\n'];

/** Merges the results of this working copy, and writes the table of `docs/safety.md`. */
export function writeTable(): boolean {
  const known = JSON.parse(readFileSync(summaryFile, 'utf8')) as Summaries;
  const results = readResults();
  const next = Object.fromEntries(
    Object.entries(targets).flatMap(([name, target]) => {
      const own = results.filter((result) => result.target === name);
      const summary = own.length === 0 ? known[name] : summaryOf(target, own);
      return summary === undefined ? [] : [[name, summary]];
    }),
  );
  writeFileSync(summaryFile, `${JSON.stringify(next, undefined, 2)}\n`);
  writeFileSync(page, withTable(readFileSync(page, 'utf8'), next));
  return true;
}

/** `text`, the page, with the table of the data. */
export function withTable(
  text: string,
  summaries = JSON.parse(readFileSync(summaryFile, 'utf8')) as Summaries,
): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to === -1) throw new Error(`docs/safety.md must have ${begin.trim()} and ${end.trim()}.`);
  return `${text.slice(0, from + begin.length)}\n${tableOf(summaries)}\n${text.slice(to)}`;
}

function summaryOf(target: ListedTarget, own: readonly Result[]): Summary {
  const known = new Set(cellsOf(target));
  const ran = new Set(own.flatMap(({ cells }) => cells.filter((cell) => known.has(cell))));
  const passed = own.findLastIndex(({ violation }) => violation === undefined);
  return {
    last: own.at(-1)?.day ?? '',
    rounds: own.reduce((sum, { rounds }) => sum + rounds, 0),
    cells: ran.size,
    broken: own.slice(passed + 1).map(({ seed }) => seed),
  };
}

/** What holds under faults of one kind, and what does not. */
const promises = {
  keeps: ['No second holder, tokens rise, no guarded write is lost or stale', 'calls fail while the store is silent'],
  refuses: ['The same; calls reject with `LOCK_MISCONFIGURED`', 'leases end that cannot be renewed'],
  ends: ['No second holder; leases may end early, and say so', 'work that does not look at its lease'],
  doubles: [
    'The resource refuses the older of two holders',
    'a second holder, until the first has tried to renew: [use the token](#guards)',
  ],
} as const;
type Kind = keyof typeof promises;
const letters: Readonly<Record<Kind, string>> = { keeps: 'A', refuses: 'B', ends: 'C', doubles: 'D' };

function tableOf(summaries: Summaries): string {
  const legend = Object.entries(promises).map(([kind, cells]) => [letters[kind as Kind], ...cells]);
  const rows = Object.values(targets).map((target) => {
    const { name, store, topology, composite } = target;
    const summary = summaries[name];
    const of = `${composite === undefined ? '' : `${composite} of `}${store}: ${topology}`;
    const faults = Object.entries(groupsOf(target)).map(
      ([kind, names]) => `${letters[kind as Kind]}: ${names.join(', ')}`,
    );
    return [of, faults.join('. '), `\`${name}\``, summary === undefined ? 'not run yet' : describe(target, summary)];
  });
  const [others, ofFile] = [commonTo('redis'), commonTo('sqlite')];
  return [
    table(['promise', 'what holds', 'what remains'], legend),
    `A also holds under the ${others} faults of processes and their network; SQLite has ${ofFile} of them.\n`,
    table(['store', 'promise: faults of its servers', '`--store`', 'how tested'], rows),
  ].join('\n');
}

/** How many faults a target has besides those of its servers. */
function commonTo(name: 'redis' | 'sqlite'): number {
  const target = targets[name] as ListedTarget;
  return kindsOf(target).length - Object.keys(target.faults).length;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function describe(target: ListedTarget, { last, rounds, cells, broken }: Summary): string {
  const shown = broken.length === 0 ? '' : `, **broken** by seed ${broken.join(', ')}`;
  return `${last}, ${rounds} rounds, ${cells} of ${cellsOf(target).length} cells${shown}`;
}

/** The kinds of faults of the servers, by what holds under them. */
function groupsOf(target: ListedTarget): Readonly<Partial<Record<Kind, readonly string[]>>> {
  const groups: Partial<Record<Kind, string[]>> = {};
  for (const [kind, { empties, doubles, refuses }] of Object.entries(target.faults)) {
    const group = doubles ? 'doubles' : empties ? 'ends' : refuses ? 'refuses' : 'keeps';
    (groups[group] ??= []).push(kind);
  }
  return groups;
}
