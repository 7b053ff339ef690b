/** What `error` says, and the errors underneath it, one after the other. */
export function messageOf(error: unknown): string {
  const texts: string[] = [];
  for (
    let next = error;
    next !== undefined && texts.length < 5;
    next = next instanceof Error ? next.cause : undefined
  ) {
    const text = textOf(next);
    // Many messages quote their cause.
    if (text !== '' && !texts.some((other) => other.includes(text))) texts.push(text);
  }
  return texts.join(' Cause: ');
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node gives an error without a text where each address of a host refused the connection.
  const all = error instanceof AggregateError ? error.errors.map(textOf).join(', ') : '';
  return error.message || all || (error as NodeJS.ErrnoException).code || error.name;
}
