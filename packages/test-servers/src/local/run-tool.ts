import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.ts';
import type { RunTool, ServerDefinition } from '../server/definition.ts';
import { startGuarded } from './guarded-process.ts';
import { findProgram } from './install.ts';
import { tailOf } from '../server/ready.ts';

const run = promisify(execFile);

interface Surroundings {
  readonly definition: ServerDefinition;
  /** The path of the server's own program: its tools are usually beside it. */
  readonly program: string;
  readonly folder: string;
  readonly account: Account | undefined;
}

/** Runs programs of the server, as `account`, in `folder`. */
export function toolRunner({ definition, program, folder, account }: Surroundings): RunTool {
  return async (binary, args, input = '') => {
    const tool = await findProgram({ ...definition.program, binary }, [dirname(program)]);
    if (tool === undefined) {
      throw new Error(
        `${definition.program.binary} was found, but not ${binary}, which comes with it: install it whole`,
      );
    }
    await runToEnd({ program: tool, args, folder, account, input, secret: definition.secret });
  };
}

interface Run {
  readonly program: string;
  readonly args: readonly string[];
  /** Its working directory. Removed if this process dies meanwhile. */
  readonly folder: string;
  readonly account?: Account | undefined;
  readonly input?: string;
  readonly secret?: string | undefined;
}

/** Rejects with the end of its output if it fails. */
export async function runToEnd({ program, args, folder, account, input = '', secret }: Run): Promise<void> {
  const inputFile = join(folder, 'input');
  const logFile = join(folder, 'tool.log');
  await Promise.all([writeFile(inputFile, input), writeFile(logFile, '')]);
  const running = await startGuarded({ program, args, folder, logFile, inputFile, cleanUp: '', account });
  await running.gone();
  if (running.ended() === 'exited with code 0') return;
  const output = tailOf(await readFile(logFile, 'utf8'), secret);
  throw new Error(`${basename(program)} ${running.ended()}. Its output ended with:\n${output || '(nothing)'}`);
}

/** Runs shell commands, and ignores failures. */
export async function runShell(commands: string, folder: string): Promise<void> {
  if (commands !== '') await run('/bin/sh', ['-c', commands], { cwd: folder }).catch(() => {});
}
