import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runProgram } from '@locks/command-line';
import { attack } from './attack.ts';
import { type Options, help, readCommandLine } from './command-line.ts';
import { writeTable } from './matrix/table.ts';
import { nextSlice } from './matrix/weekly.ts';
import { plantAll } from './planted/plant.ts';
import { targets } from './targets/index.ts';
import { mayMount } from './targets/small-disk.ts';

async function main(options: Options): Promise<boolean> {
  if (options.stores === 'list') return list();
  if (options.planted !== undefined) return await plantAll(options.planted, { ...options, print });
  if (options.table) return writeTable();
  if (options.weekly) return await walk(options);
  const [only, ...others] = options.stores;
  if (only !== undefined && others.length === 0) return await attackStore(only, options);
  const rest = [...options.stores];
  let fine = true;
  const takeNext = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) fine = (await delegate(next)) && fine;
  };
  // Most of a run is waiting.
  await Promise.all([takeNext(), takeNext()]);
  return fine;
}

async function attackStore(store: string, options: Options): Promise<boolean> {
  const before = process.channel === undefined ? '' : `${store}: `;
  const { failure } = await attack(store, { ...options, print: (line) => print(line.replaceAll(/^/gm, before)) });
  return failure === undefined;
}

/** How long one part of the matrix runs at a time, in seconds. */
const sliceLength = 60;

/** Runs the least recently run parts, until the time ends. */
async function walk({ seconds, seed }: Options): Promise<boolean> {
  let fine = true;
  const end = performance.now() + seconds * 1_000;
  for (let number = 0; performance.now() < end - sliceLength * 1_000 || number === 0; number += 1) {
    const { target, ...slice } = nextSlice(({ name }) => mayMount() || !name.endsWith('small-disk'));
    print(`${target}, ${slice.client}: ${slice.faults.join(', ')}`);
    const { failure } = await attack(target, { ...slice, seed: seed + number, seconds: sliceLength, print });
    fine = failure === undefined && fine;
  }
  return fine;
}

/** In a separate process, so that its proxies do not wait for computations of another run. */
async function delegate(store: string): Promise<boolean> {
  const child = fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), '--store', store]);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}

function list(): boolean {
  for (const { name, store, topology, composite, clients, faults } of Object.values(targets)) {
    print(`${name}: ${[composite, store, topology].filter(Boolean).join(', ')}`);
    print(`  clients ${clients.join(', ')}; faults of servers ${Object.keys(faults).join(', ')}`);
  }
  return true;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

// Servers and workers end with this process when it ends normally, and so do the runs of `all`.
process.once('disconnect', () => process.exit(1));
process.channel?.unref();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await runProgram(
  help,
  (args) => readCommandLine(args, Object.keys(targets)),
  async (options) => {
    if (!(await main(options))) process.exitCode = 1;
  },
);
