import type { RegisterChange } from '@locks/core';
import { checkRegister, longestOfStores } from '@locks/core/adapter';
import { versionLength } from '@locks/core/composite';
import type { VersionedText } from '@locks/core/composite';

/** The vote with the highest version. Of several, the last text: a job's later slot. */
export function latestOf(votes: readonly VersionedText[]): VersionedText | undefined {
  const byText = ({ value: one = '' }: VersionedText, { value: other = '' }: VersionedText): number =>
    one < other ? 1 : -1;
  return votes.toSorted((one, other) => other.version - one.version || byText(one, other))[0];
}

/** What `need` members have. `undefined`: unknown. */
export function settledOf(votes: readonly VersionedText[], need: number): VersionedText | undefined {
  const texts = votes.filter(({ version }) => version >= 0);
  const counted = texts.length === 0 ? votes : texts;
  return counted.find(
    ({ version, value }) => counted.filter((each) => each.version === version && each.value === value).length >= need,
  );
}

/** Whether `change` changes a register with `value`. */
export function applies({ from, to }: RegisterChange, value: string | undefined): boolean {
  return value === from && value !== to;
}

/**
 * Whether a change was made that its process proposed in the versions `own`, and did not see
 * settled. Another process may have settled it, and changed it again. `undefined`: unknown.
 */
export function wasMade(own: readonly number[], { origin, before }: VersionedText): boolean | undefined {
  if (own.some((version) => version === origin || version === before)) return true;
  // None of them is between two successive values.
  return own.length === 0 || (before >= 0 && own.every((version) => version > before)) ? false : undefined;
}

/** @throws `LOCK_INVALID` for a name or text that members would refuse. */
export function checkComposed(name: string, change: RegisterChange | undefined): void {
  checkRegister(name, change, longestOfStores - versionLength);
}
