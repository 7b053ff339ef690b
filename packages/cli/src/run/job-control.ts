/**
 * Makes this process a job of a shell that keeps its lock while it can. To be called before a
 * command starts, which may want the terminal at once.
 */
export function joinJobControl(): void {
  // In the middle of a call, a process that is stopped keeps a file of SQLite locked, and with it
  // all other keys.
  const stopBetweenCalls = (): void => {
    process.off('SIGTSTP', stopBetweenCalls);
    process.kill(process.pid, 'SIGTSTP');
    process.on('SIGTSTP', stopBetweenCalls);
  };
  process.on('SIGTSTP', stopBetweenCalls);
  // A command in the background that wants the terminal is stopped. Its lock is renewed meanwhile.
  for (const signal of ['SIGTTIN', 'SIGTTOU'] as const) process.on(signal, () => {});
}
