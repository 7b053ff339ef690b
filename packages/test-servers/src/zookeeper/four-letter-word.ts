import { connect } from 'node:net';
import { ask } from '../support/ask.ts';

/** What a ZooKeeper server can be asked without a session. */
export type FourLetterWord =
  | 'conf'
  | 'cons'
  | 'crst'
  | 'dirs'
  | 'dump'
  | 'envi'
  | 'isro'
  | 'mntr'
  | 'ruok'
  | 'srst'
  | 'srvr'
  | 'stat'
  | 'wchc'
  | 'wchp'
  | 'wchs';

/**
 * Asks a ZooKeeper server one of its four-letter words
 * (https://zookeeper.apache.org/doc/current/zookeeperAdmin.html#sc_4lw) and resolves to all that it
 * answers. Rejects when there is no whole answer within `timeout` ms. A server that serves no
 * client says so in its answer, and so does one that does not allow the word. The servers that
 * `startZookeeper` starts allow all words.
 */
export function fourLetterWord(
  { host, port }: { readonly host: string; readonly port: number },
  word: FourLetterWord,
  timeout?: number,
): Promise<string> {
  return ask(connect({ host, port }), word, word, timeout);
}
