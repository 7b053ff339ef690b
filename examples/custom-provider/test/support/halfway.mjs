// A process that sends itself a signal in the middle of an acquisition: before its new record is
// in force, or after that.
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const [, , folder, signal, when, claim] = process.argv;
const { rename } = fs;
fs.rename = async (from, to) => {
  if (when === 'before') process.kill(process.pid, signal);
  await rename(from, to);
  if (when === 'after') process.kill(process.pid, signal);
};
syncBuiltinESMExports();

const { createFolderProvider } = await import('@locks/example-custom-provider');
const provider = await createFolderProvider(folder);
const answer = await provider.tryAcquire(JSON.parse(claim));
process.send({ granted: answer.granted, token: String(answer.token) }, () => process.disconnect());
