// Opens the files that it is given, and tells what they were refused with. Root may open each file.
// So it goes on as another user, but only after it has opened a first file, and so loaded all code:
// the checkout may be in a folder that others may not enter, such as `/root`.
import * as sql from '@locks/sql';
import { openLocks } from '@locks/core';

const [first, ...paths] = process.argv.slice(2);
// By name it would look for its module again.
const at = (path) => ({ provider: sql, url: `sqlite:${path}` });
await (await openLocks(at(first))).close();
if (process.getuid() === 0 && process.env['LOCKS_TEST_AS_ROOT'] === undefined) {
  process.setgroups([]);
  process.setgid(65_534);
  process.setuid(65_534);
}
for (const path of paths) process.stdout.write(`${JSON.stringify(await open(path))}\n`);

async function open(path) {
  try {
    await (await openLocks(at(path))).close();
    return { code: 'opened', message: '' };
  } catch ({ code, message }) {
    return { code, message };
  }
}
