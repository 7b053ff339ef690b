import { CommanderError } from 'commander';
import { messageOf } from '@locks/core/text';
import { exitCode, exitCodeOf } from './failure.ts';
import { createOutput, endWithReader } from './output/output.ts';
import { createProgram } from './program.ts';
import { splitLine } from './run/words.ts';

const words = process.argv.slice(2);
const { own, command } = splitLine(words);
const output = createOutput({ json: own.includes('--json'), verbose: false });

// A stream of Node would change the mode of the output, which the command of `run` shares.
if (command === undefined) process.stdout.on('error', endWithReader);

try {
  const program = createProgram(command);
  if (words[0] === 'complete') {
    const { addCompletion } = await import('./commands/completion.ts');
    await addCompletion(program, words);
  }
  await program.parseAsync([...own], { from: 'user' });
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has printed the error. A code of 0 is that of --help.
    process.exitCode = error.exitCode === 0 ? 0 : exitCode.usage;
  } else {
    const message = messageOf(error);
    const code = exitCodeOf(error);
    output.say(message, { event: 'error', message, exitCode: code });
    process.exit(code);
  }
}
