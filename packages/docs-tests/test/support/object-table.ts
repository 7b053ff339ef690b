import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockObjects, startConformance } from '@locks/conformance';
import type { LockObject } from '@locks/conformance';
import type { LockProvider, Traits } from '@locks/core';
import { root } from './repository.ts';

/** The columns of the table of lock objects: each kind of provider, and the composites. */
export const providerNames = [
  'memory',
  'Redis',
  'Postgres',
  'MariaDB',
  'SQLite',
  'ZooKeeper',
  'quorum of three Redis',
  'migration from Redis to Postgres, `both`',
] as const;

export type ProviderName = (typeof providerNames)[number];

/** What a provider declares, and how many requirements it passed with each object. */
export interface Row {
  readonly name: string;
  readonly traits: Traits;
  /** By the name of the object. */
  readonly passed: Readonly<Record<string, number>>;
}

const page = join(root, 'docs/objects/providers.md');
const [start, end] = ['<!-- table of objects -->\n\n', '\n\n<!-- end of the table -->'];

/** How many requirements providers with these traits are asked for with `object`. */
export function countFor({ name }: LockObject, traits: Traits): number {
  const nothing = (): never => {
    throw new Error('Only the names of requirements are asked for.');
  };
  const { requirements } = startConformance({ name, object: name, create: nothing });
  // Of the optional methods objects need `time`, which each provider of the table has that keeps a
  // key by its ttl.
  const provider = { time: nothing } as unknown as LockProvider;
  return requirements.filter(({ appliesTo }) => appliesTo(traits, provider)).length;
}

/** The table as Markdown: traits first, then objects, with a column for each provider. */
function print(rows: readonly Row[]): string {
  const declared = Object.keys(rows[0]?.traits ?? {}) as (keyof Traits)[];
  const lines = [
    ['', ...rows.map(({ name }) => name)],
    ['---', ...rows.map(() => '---')],
    ...declared.map((trait) => [`\`${trait}\``, ...rows.map(({ traits }) => String(traits[trait]))]),
    ...lockObjects.map((object) => [object.name, ...rows.map((row) => cellOf(object, row))]),
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function cellOf({ name, needs = {} }: LockObject, { traits, passed }: Row): string {
  const lacks = Object.entries(needs).find(([trait, needed]) => traits[trait as keyof Traits] !== needed);
  const count = passed[name] ?? 0;
  if (count > 0 || lacks === undefined) return String(count);
  return `needs \`${lacks[0]}: ${String(lacks[1])}\``;
}

/** The table in the documentation. */
export function readTable(): readonly Row[] {
  const [, table = ''] = readFileSync(page, 'utf8').split(start);
  const [[, ...names] = [], , ...lines] = (table.split(end)[0] ?? '')
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return names.map((name, column) => {
    const cells = lines.map(([first = '', ...others]) => [first, others[column] ?? ''] as const);
    const traits = cells.flatMap(([first, cell]) => (first.startsWith('`') ? [[first.slice(1, -1), read(cell)]] : []));
    const counts = cells.flatMap(([first, cell]) =>
      first.startsWith('`') ? [] : [[first, Number.parseInt(cell) || 0]],
    );
    return { name, traits: Object.fromEntries(traits), passed: Object.fromEntries(counts) };
  });
}

function read(cell: string): string | boolean {
  return cell === 'true' || (cell !== 'false' && cell);
}

/** Writes `rows` into the documentation. */
export function writeTable(rows: readonly Row[]): void {
  const text = readFileSync(page, 'utf8');
  const [before = '', rest = ''] = text.split(start);
  writeFileSync(page, `${before}${start}${print(rows)}${end}${rest.split(end)[1] ?? ''}`);
}
