import { systemRuntime } from '@locks/core/adapter';
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Session } from '../../src/session/session.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import type { SessionOptions } from '../../src/session/session-options.ts';
import type { Answer } from '../../src/wire/answer.ts';
import { multi } from '../../src/wire/multi.ts';
import { create, exists } from '../../src/wire/requests.ts';
import type { NodeKind } from '../../src/wire/requests.ts';

/** What one test opens, closed with it. */
export class Opened implements AsyncDisposable {
  readonly #managers: SessionManager[] = [];

  /** Sessions with `servers`. The first call of `ready` begins one. */
  sessions(servers: SessionOptions['addresses'], options: Partial<SessionOptions> = {}): SessionManager {
    const manager = new SessionManager({
      addresses: servers,
      auth: [],
      sessionTimeout: 6_000,
      runtime: systemRuntime,
      heartbeat: multi([{ type: 'check', path: '/' }]),
      prepare: () => Promise.resolve(),
      ...options,
    });
    this.#managers.push(manager);
    return manager;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#managers.map((manager) => manager.close()));
  }
}

export const anybody = [{ scheme: 'world', id: 'anyone', permissions: 31 }];

/** A path of this test's own. */
export function ownPath(): string {
  return `/${randomUUID()}`;
}

/** Makes a node that is open to all users. */
export async function makeNode(session: Session, path: string, kind: NodeKind): Promise<string> {
  return valueOf(await session.send(create({ path, data: Buffer.alloc(0), acl: anybody, kind }))).path;
}

/** Whether there is a node at `path`, by what `session` sees. */
export async function isThere(session: Session, path: string): Promise<boolean> {
  const answer = await session.send(exists(path));
  if (!answer.ok && answer.error !== 'NO_NODE') throw new Error(answer.error);
  return answer.ok;
}

export function valueOf<T>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(`the server answered ${answer.error} (${answer.code})`);
  return answer.value;
}

/** How a session and a node of it end, by one clock. */
export interface End {
  /** When it told its loss; `Infinity` before. */
  readonly lostAt: number;
  /** When another session was told that the node is gone; `Infinity` before. */
  readonly removedAt: number;
}

/** Watches the end of `session`, and through `observer` that of its node at `path`. */
export async function watchEnd(session: Session, path: string, observer: Session): Promise<End> {
  const end = { lostAt: Infinity, removedAt: Infinity };
  session.lost.addEventListener('abort', () => (end.lostAt = performance.now()));
  expect(await observer.watch(path, () => (end.removedAt = performance.now()))).toBe('watching');
  return end;
}
