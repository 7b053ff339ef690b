import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A user of this machine. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The account `name` if this process is root, which some servers refuse. Else `undefined`: the
 * server runs as the user of this process.
 */
export async function accountForServer(name: string | undefined): Promise<Account | undefined> {
  if (name === undefined || process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all([ask('-u', name), ask('-g', name)]);
  return { uid, gid };
}

async function ask(option: string, name: string): Promise<number> {
  try {
    const { stdout } = await run('id', [option, name]);
    return Number(stdout);
  } catch (error) {
    throw new Error(
      `the server does not run as root, and there is no user "${name}" to run it as: create one, or use another user than root`,
      { cause: error },
    );
  }
}
