/** The message of an error without its full stop, to stand inside a sentence. */
export function reasonOf({ message }: Error): string {
  return message.replace(/\.$/, '');
}
