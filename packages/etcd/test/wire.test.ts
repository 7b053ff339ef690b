import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { leaseGrant, txn, watch } from '../src/wire/calls.ts';
import { ownPrefix } from './support/etcd.ts';

test('locks work in a process that may not make code from text', async () => {
  const script = fileURLToPath(new URL('fixtures/restricted.mjs', import.meta.url));
  const url = `${inject('etcdUrl')}/${ownPrefix()}`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--disallow-code-generation-from-strings', script, url],
  ]);
  expect(stdout).toBe('true\n');
});

test('numbers of 64 bits are read as etcd writes them', () => {
  const id = '7587899233073448991';
  // ID is field 2 of the answer, too. TTL is field 3.
  const bytes = Buffer.concat([leaseGrant.serialize({ TTL: 30, ID: id } as never).subarray(2), Buffer.of(0x18, 60)]);
  expect(leaseGrant.deserialize(bytes)).toMatchObject({ ID: id, TTL: '60' });
  const negative = Buffer.of(0x10, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1);
  expect(watch.deserialize(negative)).toMatchObject({ watchId: '-1', events: [], compactRevision: '0' });
});

test('an answer that is cut off, or is none, is refused', () => {
  const answer = Buffer.of(0x0a, 0x04, 0x18, 0x05, 0x20, 0x02, 0x10, 0x01, 0x1a, 0x02, 0x12, 0x00);
  expect(txn.deserialize(answer)).toEqual({
    header: { revision: '5', raftTerm: '2' },
    succeeded: true,
    responses: [{ responsePut: {} }],
  });
  for (const end of [3, 5, 7, 9, 11]) expect(() => txn.deserialize(answer.subarray(0, end))).toThrow('premature EOF');
  expect(() => txn.deserialize(Buffer.alloc(20, 255))).toThrow('invalid varint');
});
