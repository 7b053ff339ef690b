/** A denied permission, as reported by the server and shortened. */
export interface Denial {
  readonly text: string;
  /**
   * What to grant, in the syntax of `ACL SETUSER`; `undefined` if the server does not report it.
   */
  readonly right: string | undefined;
}

const denied = /\bNOPERM\b|\bACL failure in script\b|\bThe user executing the script can't\b/;

/**
 * The denied right, if `text` reports one. Versions of Redis word it differently. Those before 7.2
 * do not name a script's command, but its position in `lua`.
 */
export function findDenial(text: string, lua: string | undefined): Denial | undefined {
  if (!denied.test(text)) return undefined;
  const bare = text.replace(/^ERR Error running script .*@user_script: ?\d+: /, '').replace(/ script: [^]*$/, '');
  return { text: bare.trim(), right: missingRight(text, lua) };
}

function missingRight(text: string, lua: string | undefined): string | undefined {
  const command = /permissions? to run the '([^']+)' command/.exec(text)?.[1];
  if (command !== undefined) return `+${command.toLowerCase()}`;
  if (/\bchannels?\b/.test(text)) return 'its channel (&)';
  if (/\bkeys?\b/.test(text)) return 'its keys (~)';
  const line = /@user_script: ?(\d+)/.exec(text)?.[1];
  const source = line === undefined ? '' : (lua?.split('\n')[Number(line) - 1] ?? '');
  const commands = [...source.matchAll(/redis\.p?call\('(\w+)'/g)].map((call) => `+${call[1]?.toLowerCase()}`);
  return commands.length === 0 ? undefined : commands.join(' or ');
}
