import { randomBytes } from 'node:crypto';

/**
 * A password that is a new one each time and needs to be encoded in a URL. Its length does not
 * depend on luck, nor do its kinds of characters.
 */
export function makePassword(): string {
  return `p@ss w/rd:?#%é+${randomBytes(8).toString('hex')}`;
}
