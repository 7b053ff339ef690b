/**
 * From this number on no position is granted. ZooKeeper counts a node's children up to 2^31 - 1,
 * and then uses the same number for all.
 */
export const sequenceLimit: number = 2 ** 31 - 2 ** 20;

/**
 * From this number on a leaving client removes the folder if it is empty, which restarts its
 * numbers long before they are used up.
 */
export const renewedSequence: number = 2 ** 30;

/** The number of digits in ZooKeeper's names. */
export const digits = 10;
const largest = 2 ** 31 - 1;

/**
 * The number at the end of a name. `undefined`: none. Numbers past 2^31 - 1, which ZooKeeper is
 * documented to write as negative ones, continue here.
 */
export function sequenceOf(name: string): number | undefined {
  const start = name.length - digits;
  if (start < 0) return undefined;
  let number = 0;
  // Character by character, as every wake reads thousands of names.
  for (let index = start; index < name.length; index += 1) {
    const digit = name.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return undefined;
    number = number * 10 + digit;
  }
  return isNegative(name, start, number) ? 2 ** 32 - number : number;
}

/** A name that ends with this number, as ZooKeeper writes it. */
export function numbered(prefix: string, sequence: number): string {
  return `${prefix}${String(sequence).padStart(digits, '0')}`;
}

/** A hyphen before the number may belong to either side: most prefixes end in one. */
function isNegative(name: string, start: number, number: number): boolean {
  if (name[start - 1] !== '-' || number > largest + 1) return false;
  const before = name[start - 2];
  return number > largest || before === '-' || before === '_';
}
