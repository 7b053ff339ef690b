import { createInterface } from 'node:readline/promises';
import type { LockHolder, Locks } from '@locks/core';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { printable } from '../output/printable.ts';
import { span } from '../output/spans.ts';
import { leaveBy } from '../run/leave.ts';
import { withStore } from '../store/open-store.ts';
import type { StoreOptions } from '../store/open-store.ts';

/** Options of `locks break`. */
export interface BreakOptions extends StoreOptions {
  /** Ends the leases without a question. */
  readonly yes?: boolean | undefined;
  /** The lease of this owner alone. */
  readonly owner?: string | undefined;
}

/** Ends the leases on `key`, after a question. Gives the exit code. */
export async function breakKey(key: string, options: BreakOptions, output: Output): Promise<number> {
  return await withStore(options, output, async (locks) => {
    const holders = await holdersToEnd(locks, key, options);
    if (holders.length === 0) {
      await output.print(`${printable(key)} is not held.`, { key, broken: [] });
      return 0;
    }
    if (options.yes !== true && !(await confirmed(key, holders))) return exitCode.declined;
    for (const holder of holders) {
      const { owner, token } = holder;
      const freed = await locks.forceRelease(holder);
      await output.print(freed ? endedText(holder) : `${printable(owner)} had ended already.`, {
        key,
        owner,
        token,
        freed,
      });
    }
    return 0;
  });
}

async function holdersToEnd(locks: Locks, key: string, { owner }: BreakOptions): Promise<readonly LockHolder[]> {
  const { holders } = await locks.inspect(key);
  const found = owner === undefined ? holders : holders.filter((holder) => holder.owner === owner);
  if (owner !== undefined && found.length === 0 && holders.length > 0) {
    const others = holders.map((holder) => printable(holder.owner)).join(', ');
    throw new Failure(exitCode.usage, `${printable(key)} is not held by ${printable(owner)}. It is held by ${others}.`);
  }
  return found;
}

async function confirmed(key: string, holders: readonly LockHolder[]): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new Failure(exitCode.usage, 'break asks before it ends a lease, and there is no terminal. Add --yes.');
  }
  const owners = holders.map(({ owner, remaining }) => {
    const free = remaining === undefined ? '' : `, which would be over in ${span(remaining)} without a renewal`;
    return `  ${printable(owner)}${free}`;
  });
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  reader.on('SIGINT', () => {
    // It gives the terminal back, which this process then leaves alone.
    reader.close();
    leaveBy('SIGINT');
  });
  // Ctrl-D, or a terminal that goes away, is a no.
  const closed = new Promise<string>((resolve) => reader.once('close', () => resolve('')));
  try {
    process.stderr.write(`This ends the lease on ${printable(key)} of:\n${owners.join('\n')}\n`);
    process.stderr.write('It works on until its next renewal, beside the next holder.\n');
    const answer = await Promise.race([reader.question('End it? [y/N] '), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}

function endedText({ owner, token, mode }: LockHolder): string {
  const ended = `Ended the lease of ${printable(owner)}.`;
  if (token === undefined || mode === 'shared') return ended;
  return (
    `${ended} Its fencing token is ${token}: the next holder has a higher one, ` +
    'and a resource that checks tokens refuses what this one still writes.'
  );
}
