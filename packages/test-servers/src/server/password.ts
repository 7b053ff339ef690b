import { randomBytes } from 'node:crypto';

/**
 * A new random password that needs to be encoded in a URL, of constant length and with all kinds of
 * characters.
 */
export function makePassword(): string {
  return `p@ss w/rd:?#%é+${randomBytes(8).toString('hex')}`;
}
