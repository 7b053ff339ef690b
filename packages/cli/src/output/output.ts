import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { printable } from '@locks/core/text';
import { exitCode } from '../failure.ts';

/** A JSON object. */
export type Row = Readonly<Record<string, unknown>>;

/** How a command prints its results, and reports what happens. */
export interface Output {
  /** One JSON object for each result. */
  readonly json: boolean;
  readonly verbose: boolean;
  /** Writes `text` and a newline to the standard output; with `--json`, `row` instead. */
  print(text: string, row: Row): Promise<void>;
  /** Writes `text` to the standard output as it is. */
  write(text: string): Promise<void>;
  /** Writes `text` to the standard error; with `--json`, `row` instead. */
  say(text: string, row: Row): void;
  /** As `say`, with `--verbose` only. */
  note(text: string, row: Row): void;
}

const sigpipe = 13;
const sighup = 1;

export function createOutput({ json, verbose }: { readonly json: boolean; readonly verbose: boolean }): Output {
  const say = (text: string, row: Row): void => complain(json ? jsonLine(row) : `locks: ${harmless(text)}\n`);
  return {
    json,
    verbose,
    print: async (text, row) => await writeOut(json ? jsonLine(row) : `${text}\n`),
    write: writeOut,
    say,
    note: (text, row) => {
      if (verbose) say(text, row);
    },
  };
}

/** What a terminal could take for a command. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** `text`, which may quote a server, without control characters. Newlines stay. */
export function harmless(text: string): string {
  return text.replaceAll(unsafe, (character) => (character === '\n' ? character : printable(character)));
}

/** `text` with a full stop, so that another sentence can follow. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Tokens are strings: JSON readers may round large numbers. */
function jsonLine(row: Row): string {
  const line = JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  // JSON does not escape those from U+007F on, but a terminal obeys them.
  return `${line.replaceAll(unsafe, escapeInJson)}\n`;
}

function escapeInJson(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

async function writeOut(text: string): Promise<void> {
  await new Promise<void>((written) => {
    process.stdout.write(text, (error) => (error ? endWithReader(error) : written()));
  });
}

/** Exits like other programs whose reader or terminal has gone. */
export function endWithReader({ code }: NodeJS.ErrnoException): never {
  process.exit(exitCode.signal + (code === 'EPIPE' ? sigpipe : sighup));
}

/**
 * Writes to the standard error synchronously. A stream of Node would change the mode of a pipe or a
 * terminal that the command of `run` shares.
 */
function complain(text: string): void {
  let rest = Buffer.from(text);
  // A reader that does not read must not block a lock.
  for (let attempt = 0; rest.length > 0 && attempt < 100; attempt += 1) {
    try {
      rest = rest.subarray(writeSync(2, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
    }
  }
}

/** Resolves after `ms`, or when `signal` is aborted. */
export async function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  await pause(ms, undefined, signal && { signal }).catch(() => {});
}
