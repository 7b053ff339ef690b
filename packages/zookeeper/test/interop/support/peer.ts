import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

/** Locks by the class that a program of their users would name. */
export type CuratorKind =
  | 'InterProcessMutex'
  | 'InterProcessReadWriteLock.read'
  | 'InterProcessReadWriteLock.write'
  | 'InterProcessSemaphoreV2';
/** Those that begin with `Curator` are subclasses that name their nodes as Curator does. */
export type KazooKind =
  | 'Lock'
  | 'ReadLock'
  | 'WriteLock'
  | 'Semaphore'
  | 'CuratorLock'
  | 'CuratorReadLock'
  | 'CuratorWriteLock';

/** Modes of `@locks/zookeeper`. */
export type NodeKind = 'exclusive' | 'shared';

/** One wish for a lock. */
export interface PeerLock {
  /** Acquired, and not told to release. */
  readonly held: boolean;
  /** Resolves when it was acquired; rejects when it was not within the wait, or cannot be. */
  readonly acquired: Promise<void>;
  /** Resolves when the library says that it is released. */
  release(): Promise<void>;
}

/** A process that uses one of the libraries. */
export interface Peer<Kind extends string> {
  /** @param options.permits 0: none. @param options.wait In ms. */
  acquire(kind: Kind, path: string, options?: { readonly permits?: number; readonly wait?: number }): PeerLock;
  /**
   * Acquires and releases `rounds` times; inside it adds one to the number in the node `counter`,
   * without a check of its version. Resolves to how many were inside at once at most, as far as it
   * saw.
   */
  contend(kind: Kind, path: string, options: ContendOptions): Promise<number>;
  /** The same, but looks only, and so does not count among those inside. */
  look(kind: Kind, path: string, options: ContendOptions): Promise<number>;
  /** SIGSTOP; SIGCONT. */
  pause(): void;
  resume(): void;
  /** SIGKILL; resolves when the process is gone. Its session lasts until the server's timeout. */
  kill(): Promise<void>;
  /** In order: its session ends with it. Resolves when the process is gone. */
  end(): Promise<void>;
}

/** How a peer contends. */
export interface ContendOptions {
  readonly permits?: number;
  readonly counter: string;
  readonly rounds: number;
}

/** Where all keys are. */
export const root = '/interop';

/** In ms: of all peers. */
export const peerSessionTimeout = 2_000;

/** A process that uses Curator. @param address Where it finds ZooKeeper. */
export function startCurator(address: string = inject('interopAddress')): Promise<Peer<CuratorKind>> {
  return startPeer(inject('peerPrograms').curator, [], address);
}

/** A process that uses kazoo. @param markers `extra_lock_patterns` of its locks. */
export function startKazoo(markers: readonly string[] = []): Promise<Peer<KazooKind>> {
  return startPeer(inject('peerPrograms').kazoo, [markers.join(',')]);
}

/** A process that uses this package. */
export function startNode(recipe: string, over: 'sockets' | 'client' = 'sockets'): Promise<Peer<NodeKind>> {
  return startPeer(
    [process.execPath, fileURLToPath(new URL('../peers/node-peer.mjs', import.meta.url))],
    [recipe, root, over],
  );
}

interface Line {
  readonly word: string;
  readonly rest: string;
}

/**
 * A child process that reads commands and writes answers, one a line, `<id> <word> …`:
 *
 * - `<id> acquire <kind> <path> <permits> <wait in ms>` is answered by `<id> acquired`, `<id>
 *   timeout` or `<id> error <message>`
 * - `<id> release` by `<id> released`
 * - `<id> contend <kind> <path> <permits> <counter> <rounds>`, and `look`, by `<id> done <most
 *   inside at once>`
 *
 * It says `0 ready` first and ends with its standard input, which ends with this process at the
 * latest.
 */
async function startPeer<Kind extends string>(
  command: readonly string[],
  further: readonly string[],
  address: string = inject('interopAddress'),
): Promise<Peer<Kind>> {
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, address, `${peerSessionTimeout}`, ...further], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const waiting = new Map<number, (line: Line | Error) => void>();
  let problems = '';
  let last = 0;
  child.stderr.on('data', (piece: Buffer) => (problems += piece.toString()));
  // Its end is told by 'exit'.
  child.stdin.on('error', () => {});
  createInterface(child.stdout).on('line', (text) => {
    const [id, word = '', ...rest] = text.split(' ');
    settle(Number(id), { word, rest: rest.join(' ') });
  });
  const gone = once(child, 'exit').then(([code, signal]) => {
    const end = new Error(
      `the peer ended (${signal ?? `code ${code}`}): ${problems.slice(-2_000) || '(it said nothing)'}`,
    );
    for (const id of waiting.keys()) settle(id, end);
  });
  gone.catch(() => {});
  function settle(id: number, line: Line | Error): void {
    const listener = waiting.get(id);
    waiting.delete(id);
    listener?.(line);
  }

  function answerOf(id: number, expected: string): Promise<string> {
    const answer = new Promise<string>((resolve, reject) => {
      waiting.set(id, (line) => {
        if (line instanceof Error) reject(line);
        else if (line.word === expected) resolve(line.rest);
        else reject(new Error(`the peer answered "${line.word} ${line.rest}" instead of "${expected}"`));
      });
    });
    // Who kills a peer does not ask for the answers that it owes.
    answer.catch(() => {});
    return answer;
  }

  function tell(id: number, ...words: readonly (string | number)[]): void {
    child.stdin.write(`${id} ${words.join(' ')}\n`);
  }

  async function rounds(verb: string, kind: Kind, path: string, options: ContendOptions): Promise<number> {
    const id = ++last;
    tell(id, verb, kind, path, options.permits ?? 0, options.counter, options.rounds);
    return Number(await answerOf(id, 'done'));
  }

  await answerOf(0, 'ready');
  return {
    acquire(kind, path, { permits = 0, wait = 20_000 } = {}) {
      const id = ++last;
      let held = false;
      tell(id, 'acquire', kind, path, permits, wait);
      const acquired = answerOf(id, 'acquired').then(() => {
        held = true;
      });
      acquired.catch(() => {});
      return {
        get held() {
          return held;
        },
        acquired,
        async release() {
          await acquired;
          held = false;
          tell(id, 'release');
          await answerOf(id, 'released');
        },
      };
    },
    contend: (kind, path, options) => rounds('contend', kind, path, options),
    look: (kind, path, options) => rounds('look', kind, path, options),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
    async end() {
      child.stdin.end();
      const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await gone;
      clearTimeout(late);
    },
  };
}
