import { join } from 'node:path';
import { addressOf } from '../server/address.ts';
import type { LocalServer } from '../server/definition.ts';
import { fourLetterWord } from './four-letter-word.ts';

/** The default port for clients. */
export const clientPort = 2181;

/**
 * Resolves when the ZooKeeper at `url`, and with `local` the one with its data folder, serves
 * clients; otherwise rejects, within about 1 s.
 */
export async function probeZookeeper(url: URL, local?: LocalServer): Promise<void> {
  const address = addressOf(url, clientPort);
  if (local === undefined) {
    // The only word that all servers allow.
    const answer = await fourLetterWord(address, 'srvr');
    if (!/^Mode: /m.test(answer)) throw new Error(`the server says ${firstLineOf(answer)}`);
    return;
  }
  // During its start some are not answered.
  const answer = await fourLetterWord(address, 'conf', 500);
  const folder = /^dataDir=(.*)$/m.exec(answer)?.[1];
  if (folder === undefined) throw new Error(`the server says ${firstLineOf(answer)}`);
  if (folder !== join(local.dataFolder, 'version-2'))
    throw new Error(`the server of ${folder} answers there, instead of that of ${local.dataFolder}`);
}

function firstLineOf(answer: string): string {
  return answer.split('\n', 1)[0] ?? '';
}
