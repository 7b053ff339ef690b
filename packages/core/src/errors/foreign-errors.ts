/**
 * Whether a call failed because of a defect, or of a client that is not of the kind that it was
 * taken for: another attempt fails as well. `fetch` has a cause for its own, which may pass.
 */
export function isDefect(error: unknown): error is TypeError {
  return error instanceof TypeError && error.cause === undefined;
}

/**
 * Whether `error`, of an import of the package `name`, says that it is not installed. A package
 * that it needs itself may be missing instead.
 */
export function isNotInstalled(error: unknown, name: string): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  // As `require` calls it, and as `import` does.
  return /^(?:ERR_)?MODULE_NOT_FOUND$/.test(String(code)) && String(message).includes(`'${name}'`);
}

/** The message of an error without its full stop, to stand inside a sentence. */
export function reasonOf({ message }: Error): string {
  return message.replace(/\.$/, '');
}

/** What an error, or what else was thrown, says. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node gives an error without a text where each address of a host refused the connection.
  const all = error instanceof AggregateError ? error.errors.map(errorText).join(', ') : '';
  return error.message || all || (error as NodeJS.ErrnoException).code || error.name;
}
