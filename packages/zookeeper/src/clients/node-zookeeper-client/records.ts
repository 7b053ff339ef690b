import { Writer } from '../../wire/writer.ts';
import type { Acl, Stat } from '../../wire/records.ts';
import type { ClientAcl, ClientStat } from './client.ts';

/** The numbers of the client's stat. */
export function readClientStat(stat: ClientStat): Stat {
  return {
    czxid: stat.czxid.readBigInt64BE(),
    mzxid: stat.mzxid.readBigInt64BE(),
    ctime: stat.ctime.readBigInt64BE(),
    mtime: stat.mtime.readBigInt64BE(),
    version: stat.version,
    cversion: stat.cversion,
    aversion: stat.aversion,
    ephemeralOwner: stat.ephemeralOwner.readBigInt64BE(),
    dataLength: stat.dataLength,
    numChildren: stat.numChildren,
    pzxid: stat.pzxid.readBigInt64BE(),
  };
}

/** An entry that the client can write. Its own class may come from another copy of the library. */
interface WritableAcl extends ClientAcl {
  toRecord(): { byteLength(): number; serialize(buffer: Buffer, offset: number): number };
}

/** The entries for a call of the client. */
export function writeClientAcl(acl: readonly Acl[]): WritableAcl[] {
  return acl.map(({ permissions, scheme, id }) => {
    const writer = new Writer();
    writer.int(permissions);
    writer.string(scheme);
    writer.string(id);
    const bytes = writer.take();
    const record = {
      byteLength: () => bytes.length,
      serialize: (buffer: Buffer, offset: number) => bytes.copy(buffer, offset),
    };
    return { perms: permissions, id: { scheme, id }, toRecord: () => record };
  });
}
