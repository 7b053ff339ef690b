import type { LockHolder, Locks } from '@locks/core';
import { lockOfJob } from '@locks/core/adapter';
import { printable, span } from '@locks/core/text';
import { Failure, exitCode } from '../failure.ts';
import { confirmed } from '../output/confirmed.ts';
import type { Output } from '../output/output.ts';
import { withStore } from '../store/open-store.ts';
import type { StoreOptions } from '../store/open-store.ts';

/** Options of `locks break`. */
export interface BreakOptions extends StoreOptions {
  /** Ends the leases without a question. */
  readonly yes?: boolean | undefined;
  /** Only the lease of this owner. */
  readonly owner?: string | undefined;
}

/** Ends the leases on `key`, after confirmation. Returns the exit code. */
export async function breakKey(key: string, options: BreakOptions, output: Output): Promise<number> {
  return await withStore(options, output, async (locks) => {
    const holders = await holdersToEnd(locks, key, options);
    if (holders.length === 0) {
      await refuseJob(locks, key);
      await output.print(`${printable(key)} is not held.`, { key, broken: [] });
      return 0;
    }
    const asked = { yes: options.yes, what: warning(key, holders), question: 'End it?' };
    if (!(await confirmed(asked))) return exitCode.declined;
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

/** @throws `Failure` if `key` is the name of a running job: its lock has another key. */
async function refuseJob(locks: Locks, key: string): Promise<void> {
  const lock = lockOfJob(key);
  if ((await locks.inspect(lock)).holders.length === 0) return;
  const text = `${printable(key)} is a job, and runs under the key ${printable(lock)}. To end its lease: locks break ${printable(lock)}`;
  throw new Failure(exitCode.usage, text);
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

function warning(key: string, holders: readonly LockHolder[]): string {
  const owners = holders.map(({ owner, remaining }) => {
    const free = remaining === undefined ? '' : `, which expires in ${span(remaining)} unless it is renewed`;
    return `  ${printable(owner)}${free}`;
  });
  const what = `This ends the lease on ${printable(key)} of:\n${owners.join('\n')}`;
  return `${what}\nIt continues until its next renewal, alongside the next holder.`;
}

function endedText({ owner, token, mode }: LockHolder): string {
  const ended = `Ended the lease of ${printable(owner)}.`;
  if (token === undefined || mode === 'shared') return ended;
  return (
    `${ended} Its fencing token is ${token}: the next holder has a higher one, ` +
    'and a resource that checks tokens refuses further writes of this one.'
  );
}
