import { mkdirSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@locks/core/text';
import { Failure, exitCode } from '../failure.ts';

/**
 * The folder in which programs of this user keep persistent files. It does not depend on the
 * working directory, so two jobs in two folders share one file.
 */
function stateFolder(): string {
  const { XDG_STATE_HOME: state, LOCALAPPDATA: local } = process.env;
  if (process.platform === 'win32') return local || join(homedir(), 'AppData', 'Local');
  // The specification says that a relative path must be ignored.
  if (state?.startsWith('/')) return state;
  return process.platform === 'darwin'
    ? join(homeFolder(), 'Library', 'Application Support')
    : join(homeFolder(), '.local', 'state');
}

/**
 * `homedir` of Node accepts an empty or relative HOME, which would differ from folder to folder.
 */
function homeFolder(): string {
  const { HOME: home } = process.env;
  return home?.startsWith('/') ? home : userInfo().homedir;
}

/**
 * The URL of the default store: a SQLite file of this user.
 * @throws `Failure` if its folder cannot be created.
 */
export function defaultStore(): string {
  let folder: string;
  try {
    folder = join(stateFolder(), 'locks');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    // A user without an entry in the list of users may have no home folder.
    const way = 'Name a store with --url or LOCKS_URL, such as sqlite:/var/lib/app/locks.db?migrate=true.';
    throw new Failure(
      exitCode.misconfigured,
      `The folder of the default store cannot be created: ${messageOf(error)}. ${way}`,
    );
  }
  return `sqlite:${escapePath(join(folder, 'locks.db'))}?migrate=true`;
}

function escapePath(path: string): string {
  return path.replaceAll(/[%?#]/g, encodeURIComponent);
}
