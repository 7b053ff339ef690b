import { readFile, writeFile } from 'node:fs/promises';
import { turn } from '../checks/time.ts';

/** What the processes of one check write under the lock. */
export interface CounterFile {
  readonly count: number;
  /** The tokens of those who wrote, in the order of their writes. */
  readonly tokens: readonly string[];
}

/** Reads, waits and writes back: two at a time lose one of the increments. */
export async function incrementFile(file: string, token: bigint): Promise<void> {
  const { count, tokens } = await readCounter(file);
  await turn();
  const next: CounterFile = { count: count + 1, tokens: [...tokens, String(token)] };
  await writeFile(file, JSON.stringify(next));
}

/** What was counted so far. */
export async function readCounter(file: string): Promise<CounterFile> {
  return JSON.parse(await readFile(file, 'utf8')) as CounterFile;
}
