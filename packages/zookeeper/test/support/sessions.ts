import type { NodeKind } from '../../src/wire/call.ts';
import { systemRuntime } from '@locks/core/adapter';
import { startProxy } from '@locks/test-servers';
import type { Proxy } from '@locks/test-servers';
import { randomUUID } from 'node:crypto';
import { afterAll, onTestFinished } from 'vitest';
import type { SeparateParts } from '../../src/servers/separate-connection.ts';
import { socketTransport } from '../../src/servers/socket-transport.ts';
import type { Session } from '../../src/session/session.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import type { SessionOptions } from '../../src/session/session-options.ts';
import type { Answer } from '../../src/wire/answer.ts';
import { multi } from '../../src/wire/multi.ts';
import { create, exists, getChildren } from '../../src/wire/requests.ts';

/** How its sessions are made. */
export type OpenedOptions = Partial<SessionOptions & SeparateParts>;

/** What one test opens, closed with it. */
export class Opened implements AsyncDisposable {
  readonly #managers: SessionManager[] = [];

  /** Sessions with `servers`. The first call of `ready` begins one. */
  sessions(servers: SeparateParts['addresses'], options: OpenedOptions = {}): SessionManager {
    const { runtime = systemRuntime, auth = [], sessionTimeout = 6_000, tls } = options;
    const transport = socketTransport({ addresses: servers, auth, sessionTimeout, tls, runtime });
    const manager = new SessionManager({
      transport,
      runtime,
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

/** Sessions with `servers` that end with the test. The first call of `ready` begins one. */
export function openSessions(servers: SeparateParts['addresses'], options?: OpenedOptions): SessionManager {
  const opened = new Opened();
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened.sessions(servers, options);
}

/** A session that ends with the test. */
export async function openSession(servers: SeparateParts['addresses'], options?: OpenedOptions): Promise<Session> {
  return await openSessions(servers, options).ready(10_000);
}

/** A proxy that stops with the test, after the sessions that were opened later. */
export async function ownProxy(...args: Parameters<typeof startProxy>): Promise<Proxy> {
  const proxy = await startProxy(...args);
  onTestFinished(() => proxy.stop());
  return proxy;
}

/** A session of a test file's own, which ends with the file: another client of `servers`. */
export async function openClient(servers: SeparateParts['addresses'], options?: OpenedOptions): Promise<Session> {
  const opened = new Opened();
  afterAll(() => opened[Symbol.asyncDispose]());
  return await opened.sessions(servers, options).ready(10_000);
}

export const openAcl = [{ scheme: 'world', id: 'anyone', permissions: 31 }];

/** A path of this test's own. */
export function ownPath(): string {
  return `/${randomUUID()}`;
}

/** Makes a node that is open to all users. */
export async function makeNode(session: Session, path: string, kind: NodeKind): Promise<string> {
  return valueOf(await session.send(create({ path, data: Buffer.alloc(0), acl: openAcl, kind }))).path;
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

/** The names of the nodes below `path`, but for those that a session makes for itself. */
export async function namesOfClaims(session: Session, path: string): Promise<readonly string[]> {
  const { children } = valueOf(await session.send(getChildren(path)));
  return children.filter((name) => !name.startsWith('@process-'));
}
