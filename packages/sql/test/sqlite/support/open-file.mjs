// Opens the files that it is given, and tells what they were refused with.
import { openLocks } from '@locks/core';

for (const path of process.argv.slice(2)) process.stdout.write(`${JSON.stringify(await open(path))}\n`);

async function open(path) {
  try {
    await (await openLocks(`sqlite:${path}`)).close();
    return { code: 'opened', message: '' };
  } catch ({ code, message }) {
    return { code, message };
  }
}
