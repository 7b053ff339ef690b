import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Pairs } from '../measure/pair-loop.ts';
import { hostsOf, sessionTimeout } from './client.ts';

/** The answers of a peer, one line of JSON each. */
interface Answers {
  /** It is connected. */
  readonly ready: { readonly ready: true };
  /** To `pairs`: times in ms. */
  readonly took: {
    readonly took: number;
    readonly cpuMicroseconds: number;
    readonly acquires: readonly number[];
    readonly latencies: readonly number[];
    readonly failures: number;
    readonly firstFailure?: string;
  };
  /** To `grants`: acquisitions since `measure`. */
  readonly grants: { readonly grants: number };
  /** To `contend`, when all turns were taken. */
  readonly done: { readonly done: true };
  /** To `report`: four numbers per claim: worker, time of call, grant and release; -1: not yet. */
  readonly claims: {
    readonly claims: readonly number[];
    readonly failures: number;
    readonly firstFailure?: string;
  };
}

/**
 * A lock library in another language, in a separate process with one session, which measures
 * itself.
 */
export interface Peer extends AsyncDisposable {
  /** `concurrency` threads acquire and release a key of their own below `prefix`, for `ms`. */
  pairs(prefix: string, concurrency: number, ms: number): Promise<Pairs>;
  send(command: string): void;
  /** The next answer of its kind; rejects when the process has ended. */
  answer<Kind extends keyof Answers>(kind: Kind): Promise<Answers[Kind]>;
}

/** Starts `program`, a command line, at the server at `url`. Resolves when it is connected. */
export async function startPeer(program: readonly string[], url: string): Promise<Peer> {
  const [command = '', ...args] = program;
  const child = spawn(command, [...args, hostsOf(url), `${sessionTimeout}`], { stdio: ['pipe', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints = (complaints + text).slice(-4_000)));
  // A write to a dead process fails; the end of the process says why.
  child.stdin.on('error', () => {});
  const waiting = new Map<string, { resolve(answer: unknown): void; reject(error: Error): void }>();
  let end: Error | undefined;
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => finish(error, resolve));
    child.once('close', (code, signal) => {
      finish(new Error(`${command} ended (${signal ?? code}): ${complaints.trim()}`), resolve);
    });
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Record<string, unknown>;
    for (const [kind, { resolve }] of waiting) {
      if (!Object.hasOwn(message, kind)) continue;
      waiting.delete(kind);
      resolve(message);
    }
  });

  function finish(error: Error, resolve: () => void): void {
    end ??= error;
    for (const { reject } of waiting.values()) reject(end);
    waiting.clear();
    resolve();
  }

  function answer<Kind extends keyof Answers>(kind: Kind): Promise<Answers[Kind]> {
    return new Promise((resolve, reject) => {
      if (end === undefined) waiting.set(kind, { resolve, reject });
      else reject(end);
    });
  }

  const peer: Peer = {
    answer,
    send: (line) => void child.stdin.write(`${line}\n`),
    async pairs(prefix, concurrency, ms) {
      const answered = answer('took');
      peer.send(`pairs ${prefix} ${concurrency} ${ms}`);
      const { took, cpuMicroseconds, acquires, latencies, failures, firstFailure } = await answered;
      return {
        perSecond: (latencies.length / took) * 1_000,
        latencies,
        acquires,
        clientMicroseconds: cpuMicroseconds / latencies.length,
        errors: Array.from({ length: failures }, () => firstFailure),
      };
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      // It may wait for a server that does not answer.
      const patience = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(patience);
    },
  };
  try {
    await answer('ready');
  } catch (error) {
    await peer[Symbol.asyncDispose]();
    throw error;
  }
  return peer;
}

/** Acquisitions since `measure`. */
export async function grantsOf(peer: Peer): Promise<number> {
  const answered = peer.answer('grants');
  peer.send('grants');
  return (await answered).grants;
}
