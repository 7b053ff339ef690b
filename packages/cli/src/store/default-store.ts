import { mkdirSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@locks/core/text';
import { Failure, exitCode } from '../failure.ts';

/**
 * The folder in which programs of this user keep what outlives them. The same from wherever a
 * program is started: two jobs in two folders meet on one file.
 */
function stateFolder(): string {
  const { XDG_STATE_HOME: state, LOCALAPPDATA: local } = process.env;
  if (process.platform === 'win32') return local || join(homedir(), 'AppData', 'Local');
  // The specification says that a relative path counts as none.
  if (state?.startsWith('/')) return state;
  return process.platform === 'darwin'
    ? join(homeFolder(), 'Library', 'Application Support')
    : join(homeFolder(), '.local', 'state');
}

/** `homedir` of Node takes an empty or relative HOME as it is: of each folder one. */
function homeFolder(): string {
  const { HOME: home } = process.env;
  return home?.startsWith('/') ? home : userInfo().homedir;
}

/**
 * The URL of the store that is used where nothing names one: a SQLite file of this user.
 * @throws `Failure` where its folder cannot be made.
 */
export function defaultStore(): string {
  let folder: string;
  try {
    folder = join(stateFolder(), 'locks');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    // Of a user without an entry in the list of users, nothing tells the folder.
    const way = 'Name a store with --url or LOCKS_URL, such as sqlite:/var/lib/app/locks.db?migrate=true.';
    throw new Failure(
      exitCode.misconfigured,
      `The folder of the usual store cannot be made: ${messageOf(error)}. ${way}`,
    );
  }
  return `sqlite:${escapePath(join(folder, 'locks.db'))}?migrate=true`;
}

function escapePath(path: string): string {
  return path.replaceAll(/[%?#]/g, encodeURIComponent);
}
