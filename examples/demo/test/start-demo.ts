import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));

export interface RunningDemo {
  readonly process: ChildProcess;
  /** What it has printed so far. */
  readonly output: { text: string; errors: string };
  readonly exitCode: Promise<number | null>;
}

/** Starts the built demo with its output in pipes. `temporary` is where it puts its temporary files. */
export function startDemo(args: readonly string[], temporary?: string): RunningDemo {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(temporary === undefined ? {} : { TMPDIR: temporary, TEMP: temporary, TMP: temporary }) },
  });
  const output = { text: '', errors: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.text += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.errors += text));
  const exitCode = once(child, 'close').then(([code]) => code as number | null);
  return { process: child, output, exitCode };
}

/** Runs the built demo to its end. */
export async function runDemo(
  ...args: readonly string[]
): Promise<{ code: number | null; text: string; errors: string }> {
  const demo = startDemo(args);
  return { code: await demo.exitCode, ...demo.output };
}

/** The two figures of the row `name` of the printed table. */
export function figures(text: string, name: string): readonly string[] {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`  ${name} `));
  return (
    line
      ?.slice(name.length + 2)
      .trim()
      .split(/\s{3,}/) ?? []
  );
}
