const collator = new Intl.Collator('en', { numeric: true });

/** Compares as people do: `job/2` comes before `job/10`. Only equal texts are equal. */
export function naturally(one: string, other: string): number {
  return collator.compare(one, other) || (one < other ? -1 : Number(one > other));
}
