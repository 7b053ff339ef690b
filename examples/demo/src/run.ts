import { isLockError } from '@locks/core';
import type { Account } from './account.ts';
import type { Crew, Plan } from './crew.ts';
import type { KilledEvent, RunEvent, Turn } from './events.ts';
import { evaluate } from './findings.ts';
import type { Findings } from './findings.ts';
import { Failure } from './failure.ts';
import type { Screen } from './screen.ts';
import { seconds } from './table.ts';

/** Lets `crew` carry out `plan`, shows on `screen` what happens, and evaluates it. */
export async function run(crew: Crew, plan: Plan, label: string, screen: Screen): Promise<Findings> {
  const total = updatesOf(plan);
  const turns: Turn[] = [];
  let killed: KilledEvent['turn'] | undefined;
  let heir: Turn | undefined;

  const note = (line: string): void => screen.say(screen.paint('yellow', `  ${line}`));
  const account = await crew.run(plan, (event: RunEvent) => {
    if (event.kind === 'retried') {
      note(`worker ${event.worker} lost the lock before it wrote (${event.why}) and tries again`);
    } else if (event.kind === 'killed') {
      killed = event.turn;
      note(`worker ${killed.worker} killed while holding, between its read and its write`);
    } else {
      const { turn } = event;
      if (killed !== undefined && heir === undefined && turn.from > killed.until) {
        heir = turn;
        const after = seconds(turn.from - killed.until);
        note(
          `the lock of worker ${killed.worker} came free after ${after} (${crew.lockEnd}), for worker ${turn.worker}`,
        );
      }
      turns.push(turn);
      screen.progress({ label, done: turns.length, total, balance: turn.balance });
    }
  });

  const findings = evaluate({ turns, killed, balance: account.read() });
  if (killed !== undefined)
    note(heir === undefined ? 'nobody was left to wait for that lock' : tryLateWrite(account, killed));
  return findings;
}

/** How many updates will be made: a victim makes only its first. */
function updatesOf({ workers, updates, victim }: Plan): number {
  return workers * updates - (victim === undefined ? 0 : updates - victim.after);
}

/** What would happen had the victim only been paused: it wakes up, still believes that it holds the lock, and writes. */
function tryLateWrite(account: Account, { worker, hold }: KilledEvent['turn']): string {
  if (hold === undefined) return `worker ${worker} held no lock`;
  const before = account.read();
  try {
    account.write(before + 1_000_000, { token: hold.token, mode: 'exclusive' });
  } catch (error) {
    if (!isLockError(error, 'LOCK_STALE')) throw error;
    return `a late write with the token of worker ${worker} is refused: later holders have been there`;
  }
  throw new Failure(`A late write with token ${hold.token} was accepted, though later holders have been there.`);
}
