import { readFile } from 'node:fs/promises';

/** The columns of each pair of locks. */
const columns = [
  'they hold',
  'Node holds',
  'in order',
  'they die holding',
  'Node dies holding',
  'they die waiting',
  'Node dies waiting',
  'mixed run',
] as const;

export type Column = (typeof columns)[number];

/** The table of what the tests have noted down in `file`, as Markdown. */
export async function tableOf(file: string): Promise<string> {
  const rows = new Map<string, Map<string, string>>();
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    if (line === '') continue;
    const [row, column, outcome] = JSON.parse(line) as readonly [string, string, string];
    rows.set(row, (rows.get(row) ?? new Map<string, string>()).set(column, outcome));
  }
  const body = [...rows.keys()]
    .toSorted((one, other) => one.localeCompare(other))
    .map((row) => [row, ...columns.map((column) => rows.get(row)?.get(column) ?? '')]);
  const head = ['Node and', ...columns];
  return [head, head.map(() => '-'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
