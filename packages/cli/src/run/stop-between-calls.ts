/**
 * Stops this process at Ctrl-Z between two calls of the store. In the middle of one it would keep a
 * file of SQLite locked for as long as it is stopped, and with it all other keys.
 */
export function stopBetweenCalls(): void {
  const stop = (): void => {
    process.off('SIGTSTP', stop);
    process.kill(process.pid, 'SIGTSTP');
    process.on('SIGTSTP', stop);
  };
  process.on('SIGTSTP', stop);
}
