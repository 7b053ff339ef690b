import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.ts';
import type { RunTool, ServerDefinition } from './definition.ts';
import { findProgram } from './install.ts';
import { messageOf, tailOf } from './ready.ts';

const run = promisify(execFile);

interface Surroundings {
  readonly definition: ServerDefinition;
  /** The path of the server's own program: its tools are best looked for beside it. */
  readonly program: string;
  readonly folder: string;
  readonly account: Account | undefined;
}

/** What runs programs that come with the server, as `account`, in `folder`. */
export function toolRunner({ definition, program, folder, account }: Surroundings): RunTool {
  return async (binary, args, input = '') => {
    const tool = await findProgram({ ...definition.program, binary }, [dirname(program)]);
    if (tool === undefined) {
      throw new Error(
        `${definition.program.binary} was found, but not ${binary}, which comes with it: install it whole`,
      );
    }
    const done = run(tool, args, { ...account, cwd: folder });
    // Its early end is told by the exit code.
    done.child.stdin?.on('error', () => {}).end(input);
    try {
      await done;
    } catch (error) {
      throw new Error(`${binary} failed: ${tailOf(messageOf(error), definition.secret)}`, { cause: error });
    }
  };
}

/** Runs shell commands, whatever becomes of them. */
export async function runShell(commands: string, folder: string): Promise<void> {
  if (commands !== '') await run('/bin/sh', ['-c', commands], { cwd: folder }).catch(() => {});
}
