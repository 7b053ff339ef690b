import { systemRuntime } from '@locks/core/adapter';
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Generation } from '../../src/session/generation.ts';
import { Session } from '../../src/session/session.ts';
import type { SessionParts } from '../../src/session/session-parts.ts';
import type { Answer } from '../../src/wire/answer.ts';
import { multi } from '../../src/wire/multi.ts';
import { create, exists } from '../../src/wire/requests.ts';
import type { NodeKind } from '../../src/wire/requests.ts';

/** What one test opens, closed with it. */
export class Opened implements AsyncDisposable {
  readonly #sessions: Session[] = [];

  /** A session with `servers`, one that is begun by its first `ready`. */
  session(servers: SessionParts['addresses'], parts: Partial<SessionParts> = {}): Session {
    const session = new Session({
      addresses: servers,
      auth: [],
      sessionTimeout: 6_000,
      runtime: systemRuntime,
      heartbeat: multi([{ type: 'check', path: '/' }]),
      prepare: () => Promise.resolve(),
      ...parts,
    });
    this.#sessions.push(session);
    return session;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
  }
}

export const anybody = [{ scheme: 'world', id: 'anyone', permissions: 31 }];

/** A path of this test's own. */
export function ownPath(): string {
  return `/${randomUUID()}`;
}

/** Makes a node, open to anybody. */
export async function makeNode(generation: Generation, path: string, kind: NodeKind): Promise<string> {
  return valueOf(await generation.send(create({ path, data: Buffer.alloc(0), acl: anybody, kind }))).path;
}

/** Whether there is a node at `path`, by what `generation` sees. */
export async function isThere(generation: Generation, path: string): Promise<boolean> {
  const answer = await generation.send(exists(path));
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

/** Watches the end of `generation`, and through `observer` that of its node at `path`. */
export async function watchEnd(generation: Generation, path: string, observer: Generation): Promise<End> {
  const end = { lostAt: Infinity, removedAt: Infinity };
  generation.lost.addEventListener('abort', () => (end.lostAt = performance.now()));
  expect(await observer.watch(path, () => (end.removedAt = performance.now()))).toBe('watching');
  return end;
}
