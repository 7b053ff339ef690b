import { openLocks } from '@locks/core';
import { listen } from '@locks/test-servers';
import postgres from 'postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqlProvider } from '../src/index.ts';

/** The address of a server that begins with `bytes`, or answers the first message with them. */
async function serve(begins: boolean, bytes: Buffer): Promise<string> {
  const server = await listen((socket) => {
    if (begins) socket.write(bytes);
    else socket.once('data', () => socket.write(bytes));
    socket.resume();
  });
  onTestFinished(() => server.stop());
  return `${server.host}:${server.port}`;
}

/** A message of Postgres; `length` other than its own. */
function message(code: string, body: string | Buffer, length = Buffer.byteLength(body) + 4): Buffer {
  const head = Buffer.alloc(5);
  head.write(code, 'latin1');
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

const asks = (way: number): Buffer => message('R', Buffer.from([0, 0, 0, way]));
const loggedIn = asks(0);
const ready = message('Z', 'I');

const ofPostgres: readonly (readonly [string, Buffer, string])[] = [
  ['Kerberos', asks(2), 'LOCK_MISCONFIGURED'],
  ['GSSAPI', asks(7), 'LOCK_MISCONFIGURED'],
  ['SSPI', asks(9), 'LOCK_MISCONFIGURED'],
  ['a message of length 0', message('E', 'xy', 0), 'LOCK_UNAVAILABLE'],
  ['an error of seven bytes', message('E', 'SX'), 'LOCK_UNAVAILABLE'],
  ['an error without an end', message('E', 'SERROR\0Mno end\0'), 'LOCK_UNAVAILABLE'],
  ['a notice without an end', message('N', 'S'), 'LOCK_UNAVAILABLE'],
  ['a setting without an end', Buffer.concat([loggedIn, message('S', 'client_encoding\0UTF8')]), 'LOCK_UNAVAILABLE'],
  ['SASL without a way', message('R', '\0\0\0\u{a}SCRAM'), 'LOCK_UNAVAILABLE'],
  ['a salt that is short', message('R', '\0\0\0\u{5}'), 'LOCK_UNAVAILABLE'],
  ['a key that is short', Buffer.concat([loggedIn, message('K', '\0\0')]), 'LOCK_UNAVAILABLE'],
  ['columns without an end', Buffer.concat([loggedIn, ready, message('T', '\0\u{2}token')]), 'LOCK_UNAVAILABLE'],
  ['a row of no query', Buffer.concat([loggedIn, ready, message('D', '\0\0')]), 'LOCK_UNAVAILABLE'],
  ['a negative row', Buffer.concat([loggedIn, ready, message('D', Buffer.from([255, 255]))]), 'LOCK_UNAVAILABLE'],
  ['another protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), 'LOCK_UNAVAILABLE'],
];

/** A packet of MySQL. */
function packet(sequence: number, body: Buffer, length = body.length): Buffer {
  const head = Buffer.alloc(4);
  head.writeUIntLE(length, 0, 3);
  head[3] = sequence;
  return Buffer.concat([head, body]);
}

const ofMysql: readonly (readonly [string, Buffer])[] = [
  ['an empty packet', packet(0, Buffer.alloc(0))],
  ['a greeting that is cut', packet(0, Buffer.from('\u{a}10.11'))],
  ['two errors', Buffer.concat([packet(0, Buffer.from([255])), packet(1, Buffer.from([255, 1]))])],
  ['packets of no answer', Buffer.concat([0, 1, 2, 3].map((each) => packet(each, Buffer.from('\u{a}5.7\0'))))],
  ['another protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
];

/** Those that are sent too little end by silence. The others must not, on a busy machine. */
const optionsFor = (code: string): { readonly timeout: number; readonly connectTimeout: number } => {
  const limit = code === 'LOCK_MISCONFIGURED' ? 20_000 : 400;
  return { timeout: limit, connectTimeout: limit };
};

/** What each of `cases` comes to, at the same time: some end by silence. */
async function outcomes<T extends readonly [string, Buffer, ...unknown[]]>(
  cases: readonly T[],
  attempt: (bytes: Buffer, code: string) => Promise<unknown>,
): Promise<readonly (readonly [string, unknown])[]> {
  return await Promise.all(
    cases.map(async ([name, bytes, code]) => {
      const error = await attempt(bytes, String(code)).catch((reason: unknown) => reason);
      return [name, (error as { readonly code?: unknown } | undefined)?.code] as const;
    }),
  );
}

describe('what a server sends is an error of the call', () => {
  test('of Postgres', async () => {
    const found = await outcomes(ofPostgres, async (bytes, code) =>
      openLocks({ url: `postgres://me:secret@${await serve(false, bytes)}/app`, options: optionsFor(code) }),
    );
    expect(found).toEqual(ofPostgres.map(([name, , code]) => [name, code]));
  });

  test('of MySQL', async () => {
    const found = await outcomes(ofMysql, async (bytes, code) =>
      openLocks({ url: `mysql://me:secret@${await serve(true, bytes)}/app`, options: optionsFor(code) }),
    );
    expect(found).toEqual(ofMysql.map(([name]) => [name, 'LOCK_UNAVAILABLE']));
  });

  test('of Postgres, by the library postgres', async () => {
    const found = await outcomes(ofPostgres, async (bytes) => {
      const sql = postgres(`postgres://me:secret@${await serve(false, bytes)}/app`, { connect_timeout: 1 });
      const provider = createSqlProvider(sql, { timeout: 400 });
      const claim = { key: 'job', owner: 'me/1', ttl: 5_000, mode: 'exclusive' } as const;
      try {
        await provider.tryAcquire(claim);
      } finally {
        await provider.close();
      }
    });
    // What it throws while it reads may look like a wrong client.
    const typed = expect.stringMatching(/^LOCK_(?:UNAVAILABLE|MISCONFIGURED)$/) as string;
    expect(found).toEqual(ofPostgres.map(([name]) => [name, typed]));
  });
});
