/** A word, or a number with its unit. A password has both in one, or is longer. */
const plain = /^(?:\p{L}{1,16}|\d{1,16}|\d[\da-z]{1,3})$/iu;
/** What parts a URL, and what stands between a name and its value: a secret may be behind it. */
const separators = /[=;&@:?#%|\\]/;

/**
 * Whether a message may show `text` of a configuration: an unknown option or a wrong value. Where a
 * URL is misspelt, it may be a part of a password.
 */
export function isShown(text: string): boolean {
  if (text.length > 40 || separators.test(text)) return false;
  return text
    .split(/[^\p{L}\d]+/u)
    .filter((part) => part !== '')
    .every((part) => plain.test(part));
}
