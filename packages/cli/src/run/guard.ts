import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { Family } from './processes.ts';

/**
 * Ends the command when this process is gone. The other end of the pipe is in this process alone:
 * it closes also when this process is killed. A shell needs 1 MB for it, where Node needs 40.
 */
const script = `
trap '' HUP INT TERM
read -r pid <&3 || exit 0
read -r how <&3 || exit 0
read -r tries <&3 || exit 0
read -r ended <&3 && exit 0
tree() {
  echo "$1"
  for child in $(cat /proc/"$1"/task/*/children 2>/dev/null || pgrep -P "$1"); do tree "$child"; done
}
all() { if [ "$how" = group ]; then echo "-$pid"; else tree "$pid"; fi; }
known=$(all)
for each in $known; do kill -s TERM -- "$each"; kill -s CONT -- "$each"; done
while [ "$tries" -gt 0 ]; do
  left=
  for each in $known; do kill -s 0 -- "$each" && left=yes; done
  [ -n "$left" ] || exit 0
  sleep 0.1
  tries=$((tries - 1))
done
for each in $known $(all); do kill -s KILL -- "$each"; done
`;

export interface Guard {
  /** From now on the guard ends `family` when this process is gone. */
  watch(family: Family): void;
  /** The command has ended: the guard ends too. */
  dismiss(): void;
}

/** In ms: how often the guard looks whether the command has ended. */
const look = 100;

/** Starts a guard, before the command: there is no moment without one. */
export function startGuard(grace: number): Guard {
  const guard = spawn('/bin/sh', ['-c', script], {
    // In a session of its own it outlives signals to the group of this process.
    detached: true,
    // It holds no pipe of the command open, and no folder.
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    cwd: '/',
  });
  const pipe = guard.stdio[3] as Writable | null;
  // Without a guard the command runs all the same.
  guard.on('error', () => {});
  pipe?.on('error', () => {});
  return {
    watch: ({ pid, isGroup }) => pipe?.write(`${pid}\n${isGroup ? 'group' : 'tree'}\n${Math.ceil(grace / look)}\n`),
    dismiss: () => pipe?.end('ended\n'),
  };
}
