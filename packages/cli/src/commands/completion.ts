import tab from '@bomb.sh/tab/commander';
import { script } from '@bomb.sh/tab';
import type { Locks } from '@locks/core';
import type { Command } from 'commander';
import { createOutput } from '../output/output.ts';
import { sortedKeys } from '../state/states-of.ts';
import { withStore } from '../store/open-store.ts';

/** In ms: with a longer wait the shell seems to hang. */
const patience = 2_000;

/** More would fill the screen. */
const mostKeys = 200;

/** Shells evaluate completions, so quotes and similar characters are left out. */
const typeable = /^[\w@%+=:,./-]+$/;

/** Prints the completion script of a shell. */
export function printScript(shell: string): void {
  script(shell, 'locks', 'locks');
}

/** Makes `program` answer a shell that completes `words`. */
export async function addCompletion(program: Command, words: readonly string[]): Promise<void> {
  const root = tab(program, { completionCommandName: 'completion-script' });
  root.commands.delete('completion-script');
  const names = words.flatMap((word, index) => [`${word} ${words[index + 1]}`, word]);
  const command = names.map((name) => root.commands.get(name)).find((found) => found !== undefined);
  const argument = command?.arguments.get('key') ?? command?.arguments.get('job');
  if (argument === undefined) return;
  const known = await knownNames(words, command?.arguments.has('key') === true);
  argument.handler = (complete) => {
    for (const name of known) complete(name, '');
  };
}

/** Names of jobs and keys that a shell can type; none if the store does not answer. */
async function knownNames(words: readonly string[], withKeys: boolean): Promise<readonly string[]> {
  const valueOf = (option: string): string | undefined =>
    words.includes(option) ? words[words.indexOf(option) + 1] : undefined;
  const options = { url: valueOf('--url'), config: valueOf('--config') };
  const silent = createOutput({ json: false, verbose: false });
  const asked = withStore(options, silent, async (locks) => await namesIn(locks, withKeys)).catch(() => []);
  const late = new Promise<readonly string[]>((resolve) => setTimeout(resolve, patience, []).unref());
  const names = await Promise.race([asked, late]);
  return names.filter((name) => typeable.test(name)).slice(0, mostKeys);
}

async function namesIn(locks: Locks, withKeys: boolean): Promise<readonly string[]> {
  const names = new Set(withKeys ? await sortedKeys(locks, '') : []);
  try {
    for await (const { key } of locks.jobs()) names.add(key);
  } catch {
    // A store without registers keeps no jobs.
  }
  return [...names];
}
