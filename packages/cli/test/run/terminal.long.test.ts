import { expect, test } from 'vitest';
import { createUser } from '../support/locks-program.ts';
import { ctrlC, ctrlZ, openTerminal } from '../support/terminal.ts';

test('Ctrl-C ends the command, and what it makes of it counts', async () => {
  const terminal = await openTerminal(createUser().home);
  // A shell that begins a process at this moment would hear of Ctrl-C when that process ends.
  terminal.type(`$locks run key -- sh -c 'echo rea""dy; exec cat'\n`);
  await terminal.sees('ready');
  terminal.type('hello\n');
  await terminal.sees('hello\nhello\n');
  terminal.type(ctrlC);
  await terminal.seesCode(130);
  terminal.type(`$locks run key -- sh -c 'trap "exit 5" INT; echo rea""dy; while :; do sleep 0.1; done'\n`);
  await terminal.sees('ready');
  terminal.type(ctrlC);
  await terminal.seesCode(5);
});

test('Ctrl-C ends the script that called run, as it does without', async () => {
  const terminal = await openTerminal(createUser().home);
  terminal.type(
    `bash -c 'for i in 1 2 3; do $locks run key -- sh -c "echo rea""dy; exec cat"; done; echo not-ended'\n`,
  );
  await terminal.sees('ready');
  terminal.type('hello\n');
  await terminal.sees('hello\nhello\n');
  terminal.type(ctrlC);
  await terminal.seesCode(130);
});

test('Ctrl-Z stops the command, and fg goes on with it', async () => {
  const terminal = await openTerminal(createUser().home);
  terminal.type(`$locks run key -- sh -c 'echo rea""dy; sleep 1; echo do""ne'\n`);
  await terminal.sees('ready');
  terminal.type(ctrlZ);
  await terminal.sees('Stopped');
  await terminal.seesCode(148);
  terminal.type('fg\n');
  await terminal.sees('\ndone');
  await terminal.seesCode(0);
});

test('after a stop that was longer than the ttl, fg ends the command with 76', async () => {
  const user = createUser();
  const terminal = await openTerminal(user.home);
  terminal.type(`$locks run key --ttl 3s --grace 500ms -- sh -c 'echo rea""dy; exec sleep 60'\n`);
  await terminal.sees('ready');
  terminal.type(ctrlZ);
  await terminal.sees('Stopped');
  // Another one gets the lock meanwhile.
  expect((await user.locks('run', 'key', '--', 'true')).code).toBe(0);
  terminal.type('fg\n');
  await terminal.sees('Ends the command');
  await terminal.seesCode(76);
});

test('a command in the background that reads the terminal waits for fg, with its lock', async () => {
  const user = createUser();
  const terminal = await openTerminal(user.home);
  terminal.type(`$locks run key --ttl 3s -- sh -c 'echo rea""dy; read line; echo "li""ne=$line="' &\n`);
  await terminal.sees('ready');
  expect((await user.locks('run', 'key', '--wait', '4s', '--', 'true')).code).toBe(75);
  terminal.type('fg\n');
  await terminal.sees('locks');
  terminal.type('hello\n');
  await terminal.sees('line=hello=');
});

test('a command has the terminal though its input is a pipe, and may change its modes', async () => {
  const terminal = await openTerminal(createUser().home);
  terminal.type(`echo piped | $locks run key -- sh -c 'cat; read x < /dev/tty; echo "x""=$x="'\n`);
  await terminal.sees('\npiped');
  terminal.type('typed\n');
  await terminal.sees('x=typed=');
  terminal.type('$locks run key -- stty -icrnl; stty -a | grep -o -- "-icr""nl"; stty icrnl\n');
  await terminal.sees('\n-icrnl');
});

test('an interactive shell under a lock keeps its own Ctrl-C', async () => {
  const terminal = await openTerminal(createUser().home);
  terminal.type('$locks run key -- bash --norc -i\n');
  // The shell drops what is typed before its prompt.
  await terminal.sees('\nbash');
  terminal.type(`sh -c 'echo in""ner; exec sleep 60'\n`);
  await terminal.sees('\ninner');
  terminal.type(ctrlC);
  await terminal.sees(/\^C\s+bash/);
  terminal.type('echo still-he""re; exit 7\n');
  await terminal.sees('\nstill-here');
  await terminal.seesCode(7);
});

test('a run that waits says for whom, and Ctrl-C ends the waiting', async () => {
  const user = createUser();
  const holder = user.start(['run', 'key', '--', 'sh', '-c', 'echo started; exec sleep 60']);
  await expect.poll(holder.written).toContain('started');
  const terminal = await openTerminal(user.home);
  terminal.type('$locks run key -- true\n');
  await terminal.sees(`held by`);
  await terminal.sees(`:${holder.process.pid}`);
  terminal.type(ctrlC);
  await terminal.seesCode(130);
});

test('a terminal that goes away ends the command', async () => {
  const user = createUser();
  const terminal = await openTerminal(user.home);
  terminal.type(`$locks run key -- sh -c 'echo rea""dy; exec sleep 60'\n`);
  await terminal.sees('ready');
  terminal.close();
  expect((await user.locks('run', 'key', '--wait', '20s', '--', 'true')).code).toBe(0);
});
