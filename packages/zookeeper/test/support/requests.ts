import type { Acl, Stat } from '../../src/wire/records.ts';
import { readStat } from '../../src/wire/records.ts';
import type { Request } from '../../src/wire/request.ts';
import { exists } from '../../src/wire/requests.ts';

// Requests that the package itself does not send.

/** Which clients may use a node. Over sockets of the package alone. */
export function getAcl(path: string): Request<{ readonly acl: readonly Acl[]; readonly stat: Stat }> {
  return {
    op: 6,
    call: { type: 'exists', path },
    what: `the permissions of "${path}"`,
    write: (writer) => writer.string(path),
    read(reader) {
      const acl = reader.vector(12, () => {
        const permissions = reader.int();
        return { scheme: reader.string(), id: reader.string(), permissions };
      });
      return { acl, stat: readStat(reader) };
    },
  };
}

/** `exists` with a watch: for the next change or the end of the node, or for its creation. */
export function existsWatched(path: string): Request<Stat> {
  return {
    ...exists(path),
    write(writer) {
      writer.string(path);
      writer.bool(true);
    },
  };
}
