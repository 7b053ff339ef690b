import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConnectionLostError } from '../../src/connection/errors.ts';
import { ProtocolError } from '../../src/wire/protocol-error.ts';
import { multi } from '../../src/wire/multi.ts';
import { create, getChildren, getData, remove } from '../../src/wire/requests.ts';
import { eventOf, replyTo, startFakeServer } from '../support/fake-server.ts';
import { getAcl } from '../support/requests.ts';
import { openConnection } from '../support/open.ts';

const data = Buffer.from('data');
const path = '/a';
const requests = [
  getData(path),
  getChildren(path),
  getAcl(path),
  create({ path, data, acl: [], kind: 'ephemeral' }),
  multi([{ type: 'check', path }]),
  remove(path),
];

const bytes = fc.uint8Array({ maxLength: 60 }).map((content) => Buffer.from(content));
const small = fc.integer({ min: -3, max: 6 });
/** Bytes that a server might send, from plain noise to nearly right answers. */
const sent = fc.oneof(
  bytes,
  bytes.map((content) => Buffer.concat([Buffer.from([0, 0, 0, content.length]), content])),
  fc.tuple(small, fc.integer({ min: -130, max: 1 }), fc.array(fc.oneof(small, fc.integer()))).map(([xid, code, ints]) =>
    replyTo(xid, code, (writer) => {
      for (const int of ints) writer.int(int);
    }),
  ),
  fc.tuple(small, fc.string()).map(([type, text]) => eventOf(type, text)),
);

test('whatever a server sends, every request settles once and the end is told once, in a ProtocolError or an error of the protocol', async () => {
  await using server = await startFakeServer();
  await fc.assert(
    fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 5 }), async (pieces) => {
      const opening = openConnection({ address: server.address });
      const client = await server.client();
      await client.accept();
      const { connection, ended, ends } = await opening;
      const sends = Promise.allSettled(requests.map((request) => connection.send<unknown>(request)));
      client.send(...pieces);
      client.socket.end();
      const cause = await ended;
      expect(cause).toSatisfy(
        (error: Error) => error instanceof ProtocolError || /has expired|refuses|answered|closed/.test(error.message),
      );
      for (const result of await sends) {
        if (result.status === 'fulfilled') expect(result.value).toHaveProperty('ok');
        else expect(result.reason).toBeInstanceOf(ConnectionLostError);
      }
      await client.gone();
      expect([connection.unanswered, ends.length]).toEqual([0, 1]);
    }),
    { numRuns: 300 },
  );
});
