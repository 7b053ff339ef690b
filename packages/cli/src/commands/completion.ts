import tab from '@bomb.sh/tab/commander';
import { script } from '@bomb.sh/tab';
import type { Command } from 'commander';
import { createOutput } from '../output/output.ts';
import { sortedKeys } from '../state/states-of.ts';
import { withStore } from '../store/open-store.ts';

/** In ms: a shell that waits for longer seems to hang. */
const patience = 2_000;

/** More would fill the screen. */
const mostKeys = 200;

/** The shells evaluate what they complete, so quotes and the like stay out. */
const typeable = /^[\w@%+=:,./-]+$/;

/** Prints what a shell reads to complete the words of `locks`. */
export function printScript(shell: string): void {
  script(shell, 'locks', 'locks');
}

/** Makes `program` answer to a shell that asks how `words` go on. */
export async function addCompletion(program: Command, words: readonly string[]): Promise<void> {
  const root = tab(program, { completionCommandName: 'completion-script' });
  root.commands.delete('completion-script');
  const command = root.commands.get(words.find((word) => root.commands.get(word)?.arguments.has('key')) ?? '');
  const argument = command?.arguments.get('key');
  if (argument === undefined) return;
  const keys = await knownKeys(words);
  argument.handler = (complete) => {
    for (const key of keys) complete(key, '');
  };
}

/** The keys that a shell can type. A store that does not answer completes nothing. */
async function knownKeys(words: readonly string[]): Promise<readonly string[]> {
  const valueOf = (option: string): string | undefined =>
    words.includes(option) ? words[words.indexOf(option) + 1] : undefined;
  const options = { url: valueOf('--url'), config: valueOf('--config') };
  const silent = createOutput({ json: false, verbose: false });
  const asked = withStore(options, silent, async (locks) => await sortedKeys(locks, '')).catch(() => []);
  const late = new Promise<readonly string[]>((resolve) => setTimeout(resolve, patience, []).unref());
  const keys = await Promise.race([asked, late]);
  return keys.filter((key) => typeable.test(key)).slice(0, mostKeys);
}
