import { once } from 'node:events';
import { connect } from 'node:net';
import { type ServerAddress, fourLetterWord } from '@locks/test-servers';

/** The ids of the sessions that are connected to a server. */
export async function sessionsOf(server: ServerAddress): Promise<readonly bigint[]> {
  const told = await fourLetterWord(server, 'cons');
  return [...told.matchAll(/sid=(0x[\da-f]+)/g)].map(([, id = '0']) => BigInt(id)).filter((id) => id !== 0n);
}

/**
 * Ends a session as its own client would: its nodes are removed, and its client learns that it has
 * expired.
 */
export async function endSession({ host, port }: ServerAddress, session: bigint): Promise<void> {
  const socket = connect({ host, port });
  socket.on('error', () => {});
  await once(socket, 'connect');
  const hello = Buffer.alloc(45);
  // In ms; byte 0 has the version, and byte 4 the last transaction seen.
  hello.writeInt32BE(30_000, 12);
  hello.writeBigUInt64BE(session, 16);
  hello.writeInt32BE(16, 24);
  passwordOf(session).copy(hello, 28);
  socket.write(framed(hello));
  await once(socket, 'data');
  const close = Buffer.alloc(8);
  close.writeInt32BE(1, 0);
  close.writeInt32BE(-11, 4);
  socket.write(framed(close));
  await once(socket, 'close');
}

function framed(body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

const mask = (1n << 48n) - 1n;

/**
 * A server derives the password of a session from its id, with the generator of `java.util.Random`.
 */
function passwordOf(session: bigint): Buffer {
  let seed = (session ^ 0xb3415c00n ^ 0x5deece66dn) & mask;
  const password = Buffer.alloc(16);
  for (let offset = 0; offset < password.length; offset += 4) {
    seed = (seed * 0x5deece66dn + 0xbn) & mask;
    password.writeUInt32LE(Number(seed >> 16n), offset);
  }
  return password;
}
