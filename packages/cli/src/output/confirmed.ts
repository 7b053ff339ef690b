import { createInterface } from 'node:readline/promises';
import { Failure, exitCode } from '../failure.ts';
import { leaveBy } from '../run/leave.ts';

/** A confirmation before something irreversible. */
export interface Question {
  /** With `--yes`: nothing is asked. */
  readonly yes: boolean | undefined;
  /** What will be done, in lines. */
  readonly what: string;
  readonly question: string;
}

/**
 * Whether the user confirms.
 * @throws `Failure` without a terminal, unless `yes` is set.
 */
export async function confirmed({ yes, what, question }: Question): Promise<boolean> {
  if (yes === true) return true;
  if (!process.stdin.isTTY) {
    throw new Failure(exitCode.usage, `This needs confirmation, and there is no terminal. Add --yes. ${what}`);
  }
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  reader.on('SIGINT', () => {
    // It restores the terminal, which this process does not touch afterwards.
    reader.close();
    leaveBy('SIGINT');
  });
  // Ctrl-D, or a terminal that disappears, means no.
  const closed = new Promise<string>((resolve) => reader.once('close', () => resolve('')));
  try {
    process.stderr.write(`${what}\n`);
    const answer = await Promise.race([reader.question(`${question} [y/N] `), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
