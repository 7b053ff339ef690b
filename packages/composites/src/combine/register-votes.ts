/** What a member has under the name of a register. */
export interface Vote {
  /** -1: nothing. 0: a text without a version, which was written at this member alone. */
  readonly version: number;
  /** What users read. */
  readonly value: string | undefined;
  /** The text at the member. */
  readonly text: string | undefined;
}

/** The text at a member, read. A removed text leaves its version. */
export function read(text: string | undefined): Vote {
  if (text === undefined) return { version: -1, value: undefined, text };
  const [, version, value] = /^(\d{1,9}):(.*)$/.exec(text) ?? [];
  if (version === undefined) return { version: 0, value: text, text };
  return { version: Number(version), value: value === '' ? undefined : value, text };
}

/** The text that members get. */
export function textOf({ version, value = '' }: Pick<Vote, 'version' | 'value'>): string {
  return `${version}:${value}`;
}

/** The value of most votes, and how many have it. Of several, the smallest. */
export function leaderOf(votes: readonly Vote[]): { readonly value: string | undefined; readonly count: number } {
  const count = (value: string | undefined): number => votes.filter((vote) => vote.value === value).length;
  const most = Math.max(...votes.map(({ value }) => count(value)));
  const value = smallestOf(votes.filter((vote) => count(vote.value) === most));
  return { value, count: most };
}

/** The first value in the order of texts: the same in each process. */
export function smallestOf(votes: readonly Vote[]): string | undefined {
  const [first = ''] = votes.map(({ value = '' }) => value).toSorted();
  return first === '' ? undefined : first;
}
