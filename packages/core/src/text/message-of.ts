import { errorText } from '../errors/foreign-errors.ts';

/** What `error` says, and the errors underneath it, one after the other. */
export function messageOf(error: unknown): string {
  const texts: string[] = [];
  for (
    let next = error;
    next !== undefined && texts.length < 5;
    next = next instanceof Error ? next.cause : undefined
  ) {
    const text = errorText(next);
    // Many messages quote their cause.
    if (text !== '' && !texts.some((other) => other.includes(text))) texts.push(text);
  }
  return texts.join(' Cause: ');
}
