import { connect } from 'node:net';
import { ask } from '../support/ask.ts';

/**
 * Asks a ZooKeeper server one of its four-letter words
 * (https://zookeeper.apache.org/doc/current/zookeeperAdmin.html#sc_4lw) and resolves to the answer.
 * Rejects if it is not complete within `timeout` ms. A server that serves no clients, or does not
 * allow the word, says so in its answer. The servers of `startZookeeper` allow all words.
 */
export function fourLetterWord(
  { host, port }: { readonly host: string; readonly port: number },
  word: string,
  timeout?: number,
): Promise<string> {
  return ask(connect({ host, port }), word, word, timeout);
}
