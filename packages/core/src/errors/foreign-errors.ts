/**
 * Whether a call failed because of a defect, or of a client of the wrong kind: another attempt
 * fails as well. `fetch` wraps its own errors, which may be temporary, with a cause.
 */
export function isDefect(error: unknown): error is TypeError {
  return error instanceof TypeError && error.cause === undefined;
}

/**
 * Whether `error`, of an import of the package `name`, means that it is not installed. One of its
 * own dependencies may be missing instead.
 */
export function isNotInstalled(error: unknown, name: string): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  // `require` and `import` have different codes.
  return /^(?:ERR_)?MODULE_NOT_FOUND$/.test(String(code)) && String(message).includes(`'${name}'`);
}

/** The message of an error without its full stop, for use inside a sentence. */
export function reasonOf({ message }: Error): string {
  return message.replace(/\.$/, '');
}

/** The text of an error, or of any thrown value. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node's error has no text where each address of a host refused the connection.
  const all = error instanceof AggregateError ? error.errors.map(errorText).join(', ') : '';
  return error.message || all || (error as NodeJS.ErrnoException).code || error.name;
}
