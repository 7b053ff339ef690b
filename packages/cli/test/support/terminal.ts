import { spawn } from 'node:child_process';
import { eventually } from '@locks/test-servers';
import { onTestFinished } from 'vitest';
import { environmentIn, main } from './locks-program.ts';

/** A shell in a pseudo-terminal. */
export interface Terminal {
  /** Presses keys. */
  type(keys: string): void;
  /** Types a line, and waits until the screen shows `text`. */
  enter(line: string, text: string | RegExp): Promise<void>;
  /** Waits until the screen shows `text` after what was seen before. */
  sees(text: string | RegExp): Promise<void>;
  /** Waits for the exit code of the last command. */
  seesCode(code: number): Promise<void>;
  /** The other side of the pseudo-terminal goes away, as a window that is closed. */
  close(): void;
}

export const ctrlC = '\u0003';
export const ctrlZ = '\u001A';

/**
 * A bash in a pseudo-terminal of util-linux's `script`. `$locks` is the program. Text that the
 * shell shows while it is typed is no output: write `rea""dy` for `ready`.
 */
export async function openTerminal(home: string): Promise<Terminal> {
  const shell = spawn('script', ['-qfc', 'bash --norc --noprofile -i', '/dev/null'], {
    env: { ...environmentIn(home), TERM: 'dumb', locks: `${process.execPath} ${main}`, COLUMNS: '400' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void shell.kill('SIGKILL'));
  shell.stdin.on('error', () => {});
  let screen = '';
  let seen = 0;
  shell.stdout.on('data', (chunk: Buffer) => (screen += chunk.toString().replaceAll('\r', '')));
  const type = (keys: string): void => void shell.stdin.write(keys);
  const sees = async (text: string | RegExp): Promise<void> => {
    const end = await eventually(
      `${String(text)} in the terminal`,
      () => {
        const rest = screen.slice(seen);
        const found = typeof text === 'string' ? rest.indexOf(text) : rest.search(text);
        const length = typeof text === 'string' ? text.length : (text.exec(rest)?.[0].length ?? 0);
        return found === -1 ? undefined : seen + found + length;
      },
      40_000,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)} It shows: ${JSON.stringify(screen.slice(seen))}`);
    });
    seen = end;
  };
  type('stty rows 24 cols 400; PS1="shell> "; echo open""ed\n');
  await sees('\nopened\nshell> ');
  return {
    type,
    enter(line, text) {
      type(`${line}\n`);
      return sees(text);
    },
    sees,
    seesCode: async (code) => {
      // The shell may drop what comes before its prompt.
      await sees('shell> ');
      type('echo "co""de=$?="\n');
      await sees(`code=${code}=`);
    },
    close: () => void shell.kill('SIGKILL'),
  };
}
