import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Proxy, type ServerHandle, startProxy } from '../src/index.ts';
import { type Kind, over, type Session } from './kinds/kind.ts';
import { mariadb } from './kinds/mariadb.ts';
import { postgres } from './kinds/postgres.ts';

describe.each([postgres, mariadb])('a proxy in front of a $name', (kind: Kind) => {
  let server: ServerHandle;
  beforeAll(async () => {
    server = await kind.start();
  });
  afterAll(() => server.stop());

  /**
   * A proxy of the running test, with a connection through it; the server has `before` written
   * down.
   */
  async function start(): Promise<{ proxy: Proxy; session: Session }> {
    await over(kind, server.url, (session) => session.write('before'));
    const proxy = await startProxy(server);
    onTestFinished(() => proxy.stop());
    const session = await kind.open(proxy.url(server.url));
    onTestFinished(() => session[Symbol.dispose]());
    return { proxy, session };
  }
  const read = (): Promise<string | undefined> => over(kind, server.url, (session) => session.read());

  test('the credentials go through, and what is asked is answered', async () => {
    const { proxy, session } = await start();
    const url = new URL(proxy.url(server.url));
    expect(url.port).toBe(`${proxy.port}`);
    expect(url.password).toBe(new URL(server.url).password);
    await session.write('through');
    expect(await read()).toBe('through');
  });

  test('dropReply: the statement has taken effect, its answer is lost, and the next connection is served', async () => {
    const { proxy, session } = await start();
    const trap = proxy.dropReply({ when: (piece) => piece.includes('INSERT') });
    await expect(session.write('dropped')).rejects.toThrow();
    await trap.sprung;
    await session.closed;
    expect(await over(kind, proxy.url(server.url), (next) => next.read())).toBe('dropped');
  });

  test('a statement that is cut within is not executed', async () => {
    const { proxy, session } = await start();
    const trap = proxy.cutMidFrame('requests', { when: (piece) => piece.includes('INSERT') });
    await expect(session.write('cut')).rejects.toThrow();
    await trap.sprung;
    expect(await read()).toBeUndefined();
  });

  test('a statement whose reply is cut within was executed', async () => {
    const { proxy, session } = await start();
    let inserting = false;
    proxy.cutMidFrame('requests', {
      when(piece) {
        inserting ||= piece.includes('INSERT');
        return false;
      },
    });
    const trap = proxy.cutMidFrame('replies', { bytes: 1, when: () => inserting });
    await expect(session.write('executed')).rejects.toThrow();
    await trap.sprung;
    expect(await read()).toBe('executed');
  });

  test('silence swallows the answers, and those that wait are cut when it ends', async () => {
    const { proxy, session } = await start();
    const end = proxy.silence('replies');
    const answer = session.ping().then(
      () => 'an answer',
      () => 'a failure',
    );
    const observed = new Promise((resolve) => setTimeout(resolve, 250, 'silence'));
    expect(await Promise.race([answer, observed])).toBe('silence');
    await end();
    expect(await answer).toBe('a failure');
    await over(kind, proxy.url(server.url), (next) => next.ping());
  });
});
