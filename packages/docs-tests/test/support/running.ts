import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { eventually } from '@locks/test-servers';

/** A process that a test started, and what it said. */
export interface Running {
  /** The lines of its output, in order. */
  readonly lines: readonly string[];
  /**
   * Resolves with the match of the first line that has one. Rejects after 40 s, and then tells all
   * lines.
   */
  said(pattern: RegExp): Promise<RegExpExecArray>;
  /** Types the text. */
  type(text: string): void;
  /** Sends the signal if one is given. Resolves with the exit code: `null` after a fatal signal. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts Node. The settings of the test runner are not passed on. */
export function start(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Running {
  const own = { NODE_OPTIONS: undefined, NODE_ENV: undefined, VITEST: undefined, LOCKS_URL: '', LOCKS_CONFIG: '' };
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...own, ...env },
    stdio: 'pipe',
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => lines.push(line));
  }
  return {
    lines,
    async said(pattern) {
      const find = () => lines.map((line) => pattern.exec(line)).find((found) => found !== null);
      try {
        return await eventually(`a line like ${pattern}`, find, 40_000);
      } catch (error) {
        throw new Error(`${String(error)} It said:\n${lines.join('\n')}`, { cause: error });
      }
    },
    type: (text) => void child.stdin.write(text),
    async end(signal) {
      if (signal !== undefined) child.kill(signal);
      return await ended;
    },
  };
}
