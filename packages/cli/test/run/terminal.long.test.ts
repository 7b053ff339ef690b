import { expect, test } from 'vitest';
import { createUser } from '../support/locks-program.ts';
import { ctrlC, ctrlZ, openTerminal } from '../support/terminal.ts';

test('Ctrl-C ends the command, and what it makes of it counts', async () => {
  const terminal = await openTerminal(createUser().home);
  // A shell that begins a process at this moment would hear of Ctrl-C when that process ends.
  await terminal.enter(`$locks run key -- sh -c 'echo rea""dy; exec cat'`, 'ready');
  await terminal.enter('hello', 'hello\nhello\n');
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
  await terminal.enter('hello', 'hello\nhello\n');
  terminal.type(ctrlC);
  await terminal.seesCode(130);
});

test('Ctrl-Z stops the command, and fg goes on with it', async () => {
  const terminal = await openTerminal(createUser().home);
  await terminal.enter(`$locks run key -- sh -c 'echo rea""dy; sleep 1; echo do""ne'`, 'ready');
  terminal.type(ctrlZ);
  await terminal.sees('Stopped');
  await terminal.seesCode(148);
  await terminal.enter('fg', '\ndone');
  await terminal.seesCode(0);
});

test('after a stop that was longer than the ttl, fg ends the command with 76', async () => {
  const user = createUser();
  const terminal = await openTerminal(user.home);
  await terminal.enter(`$locks run key --ttl 3s --grace 500ms -- sh -c 'echo rea""dy; exec sleep 60'`, 'ready');
  terminal.type(ctrlZ);
  await terminal.sees('Stopped');
  // Another one gets the lock meanwhile.
  expect((await user.locks('run', 'key', '--', 'true')).code).toBe(0);
  await terminal.enter('fg', 'Ends the command');
  await terminal.seesCode(76);
});

test('a command in the background that reads the terminal waits for fg, with its lock', async () => {
  const user = createUser();
  const terminal = await openTerminal(user.home);
  await terminal.enter(`$locks run key --ttl 3s -- sh -c 'echo rea""dy; read line; echo "li""ne=$line="' &`, 'ready');
  expect((await user.locks('run', 'key', '--wait', '4s', '--', 'true')).code).toBe(75);
  await terminal.enter('fg', 'locks');
  await terminal.enter('hello', 'line=hello=');
});

test('a command has the terminal though its input is a pipe, and may change its modes', async () => {
  const terminal = await openTerminal(createUser().home);
  await terminal.enter(`echo piped | $locks run key -- sh -c 'cat; read x < /dev/tty; echo "x""=$x="'`, '\npiped');
  await terminal.enter('typed', 'x=typed=');
  await terminal.enter('$locks run key -- stty -icrnl; stty -a | grep -o -- "-icr""nl"; stty icrnl', '\n-icrnl');
});

test('an interactive shell under a lock keeps its own Ctrl-C', async () => {
  const terminal = await openTerminal(createUser().home);
  terminal.type('$locks run key -- bash --norc -i\n');
  // The shell drops what is typed before its prompt.
  await terminal.sees('\nbash');
  await terminal.enter(`sh -c 'echo in""ner; exec sleep 60'`, '\ninner');
  terminal.type(ctrlC);
  await terminal.sees(/\^C\s+bash/);
  await terminal.enter('echo still-he""re; exit 7', '\nstill-here');
  await terminal.seesCode(7);
});

test('a run that waits says for whom, and Ctrl-C ends the waiting', async () => {
  const user = createUser();
  const holder = user.start(['run', 'key', '--', 'sh', '-c', 'echo started; exec sleep 60']);
  await expect.poll(holder.written).toContain('started');
  const terminal = await openTerminal(user.home);
  await terminal.enter('$locks run key -- true', `held by`);
  await terminal.sees(`:${holder.process.pid}`);
  terminal.type(ctrlC);
  await terminal.seesCode(130);
});

test('a terminal that goes away ends the command', async () => {
  const user = createUser();
  const terminal = await openTerminal(user.home);
  await terminal.enter(`$locks run key -- sh -c 'echo rea""dy; exec sleep 60'`, 'ready');
  terminal.close();
  expect((await user.locks('run', 'key', '--wait', '20s', '--', 'true')).code).toBe(0);
});
