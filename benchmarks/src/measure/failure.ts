/** A failure in one line: stacks contain paths of the machine. */
export function failureText(error: unknown): string {
  const [line = ''] = String(error).split('\n', 1);
  return line;
}
