import { printable } from '@locks/ui/text';

/** A URL without its user, its password and its query, where another password may be. */
export function shownUrl(url: string): string {
  const [, scheme = '', rest = url] = /^([a-z][a-z0-9+.-]*:)(.*)$/is.exec(url) ?? [];
  // A password may have any of the characters that end a user's name.
  const place = /^sqlite:/i.test(scheme) ? rest : rest.replace(/^(\/\/)?.*@/s, '$1');
  return printable(`${scheme}${place.replace(/[?#].*$/s, '')}`);
}
