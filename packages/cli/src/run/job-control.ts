/**
 * Lets a shell stop and continue this process without losing the lock needlessly. Call it before a
 * command starts, which may want the terminal immediately.
 */
export function joinJobControl(): void {
  // A process stopped during a call keeps a SQLite file locked, and so all other keys.
  const stopBetweenCalls = (): void => {
    process.off('SIGTSTP', stopBetweenCalls);
    process.kill(process.pid, 'SIGTSTP');
    process.on('SIGTSTP', stopBetweenCalls);
  };
  process.on('SIGTSTP', stopBetweenCalls);
  // A background command that wants the terminal is stopped, and its lock is renewed meanwhile.
  for (const signal of ['SIGTTIN', 'SIGTTOU'] as const) process.on(signal, () => {});
}
