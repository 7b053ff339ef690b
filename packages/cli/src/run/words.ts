/** The arguments before the command of `run`, and that command. */
export interface SplitLine {
  readonly own: readonly string[];
  readonly command: readonly string[] | undefined;
}

/** Everything after the first `--` is the command of `run`. */
export function splitLine(words: readonly string[]): SplitLine {
  const at = words.indexOf('--');
  const name = words.find((word, index) => !word.startsWith('-') && !/^--(?:url|config)$/.test(words[index - 1] ?? ''));
  if (at === -1 || name !== 'run') return { own: words, command: undefined };
  return { own: words.slice(0, at), command: words.slice(at + 1) };
}

/** The key, and the words of the command. A key that looks like an option is between two `--`. */
export function keyAndCommand(
  key: string | undefined,
  command: readonly string[] = [],
): readonly [string | undefined, ...string[]] {
  if (key !== undefined) return [key, ...command];
  const [second, dashes, ...words] = command;
  return second?.startsWith('-') && dashes === '--' ? [second, ...words] : [undefined];
}
