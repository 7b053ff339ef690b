import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { Family } from './processes.ts';

/**
 * Ends the command when this process is gone. Only this process has the other end of the pipe,
 * which also closes when the process is killed. A shell needs 1 MB for it, Node needs 40.
 *
 * If this process is killed before it could name the command, it may have started it: the command's
 * environment then names the lease. A `sleep` measures the grace: a loop takes longer than its
 * rounds say, especially on a busy machine.
 */
const script = `
grace=$1 owner=$2
trap '' HUP INT TERM
read -r pid how <&3
if [ -n "$pid" ]; then
  { [ "$pid" = ended ] || read -r ended <&3; } && exit 0
else
  pid=$(grep -lsF "LOCKS_OWNER=$owner" /proc/[0-9]*/environ | tr -dc '0-9\\n')
fi
tree() {
  echo "$1"
  for child in $(cat /proc/"$1"/task/*/children 2>/dev/null || pgrep -P "$1"); do tree "$child"; done
}
all() { if [ "$how" = group ]; then echo "-$pid"; else for each in $pid; do tree "$each"; done; fi; }
known=$(all)
for each in $known; do kill -s TERM -- "$each"; kill -s CONT -- "$each"; done
sleep "$grace" &
timer=$!
while kill -s 0 "$timer"; do
  left=
  for each in $known; do kill -s 0 -- "$each" && left=yes; done
  [ -n "$left" ] || { kill -s KILL "$timer"; exit 0; }
  sleep 0.1
done
for each in $known $(all); do kill -s KILL -- "$each"; done
`;

export interface Guard {
  /** From now on the guard ends `family` when this process is gone. */
  watch(family: Family): void;
  /** The command has ended: the guard ends, too. */
  dismiss(): void;
}

/** What a guard knows before the command starts. */
export interface Guarded {
  /** In ms. */
  readonly grace: number;
  /** In the environment of the command as `LOCKS_OWNER`. */
  readonly owner: string;
}

/** Starts a guard, before the command, so the command never runs without one. */
export function startGuard({ grace, owner }: Guarded): Guard {
  const guard = spawn('/bin/sh', ['-c', script, 'locks-guard', String(grace / 1_000), owner], {
    // In a session of its own it outlives signals to the group of this process.
    detached: true,
    // It keeps no pipe of the command, and no folder, open.
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    cwd: '/',
  });
  const pipe = guard.stdio[3] as Writable | null;
  // Without a guard the command still runs.
  guard.on('error', () => {});
  pipe?.on('error', () => {});
  return {
    watch: ({ pid, isGroup }) => pipe?.write(`${pid} ${isGroup ? 'group' : 'tree'}\n`),
    dismiss: () => pipe?.end('ended\n'),
  };
}
