/**
 * `error` with `hints` added to its message, in parentheses, and to its stack, which test runners
 * show: Node copied the message there when the error was created.
 */
export function withHints(error: Error, hints: readonly string[]): Error {
  // At the end of the first line: a reporter may show no other.
  const message = error.message.replace(/$/m, () => ` (${hints.join('; ')})`);
  // Frozen: it cannot be changed.
  if (!Object.isExtensible(error)) return new Error(message, { cause: error });
  const stack = error.stack ?? '';
  const told = stack.includes(error.message)
    ? stack.replace(error.message, () => message)
    : `${error.name}: ${message}\n${stack}`;
  // The message of a DOMException cannot be assigned.
  for (const [name, value] of Object.entries({ message, stack: told })) {
    Object.defineProperty(error, name, { value, writable: true, configurable: true });
  }
  return error;
}
