import type { Fence } from './fences.ts';
import { readMarkdown } from './fences.ts';
import type { Page } from './repository.ts';

/** One module made of one fence, or of several that continue one another. */
export interface Program {
  readonly page: string;
  /** Where it begins in the page, from 1. */
  readonly line: number;
  /** Its file: the name that the page gave it, or one of its own. */
  readonly file: string;
  /** Every line stands on the line that it has in the page, so that messages name that. */
  readonly source: string;
  /** Why it is not run, if it is not. */
  readonly notRun: string | undefined;
  /** The application of its own that it is compiled and run in; the other programs have none. */
  readonly app?: string | undefined;
}

interface Flags {
  readonly app: string | undefined;
  readonly file: string | undefined;
  readonly continues: boolean;
  readonly notRun: string | undefined;
}

/** Each is a test that runs its programs in an application: `modules/matrix/<app>.test.ts`. */
const apps: ReadonlySet<string> = new Set(['guides', 'orms']);

/** Languages whose blocks would pass unseen under these names. */
const misnamed: Readonly<Record<string, string>> = {
  '': 'text',
  typescript: 'ts',
  mts: 'ts',
  js: 'ts',
  javascript: 'ts',
  mjs: 'ts',
  bash: 'sh',
  shell: 'sh',
  console: 'sh',
};

/**
 * The programs of a page: its fences in `ts`, and in `cjs` for CommonJS. After the language may
 * stand `file=name.ts`, under which other fences of the page can import it; `continues`: it goes on
 * where the one before ended; `app=name`: it is compiled and run in an application of its own, and
 * only read with that name; `no-run: <reason>`: it is only compiled.
 * Throws for what it does not know.
 */
export function readPrograms(page: Page, app?: string): Program[] {
  return readAll(page).filter((program) => program.app === app);
}

function readAll({ path, text }: Page): Program[] {
  const programs: Program[] = [];
  for (const fence of readMarkdown(text).fences) {
    const at = `${path}:${fence.line - 1}`;
    const name = misnamed[fence.language];
    if (name !== undefined) throw new Error(`${at}: call the block "${name}", not "${fence.language}"`);
    if (fence.language !== 'ts' && fence.language !== 'cjs') continue;

    const flags = readFlags(fence.info, at);
    if (!flags.continues) {
      programs.push(begin(path, fence, flags, at));
      continue;
    }
    const last = programs.pop();
    if (last === undefined) throw new Error(`${at}: there is nothing that it continues`);
    programs.push({ ...last, source: pad(last.source, fence), notRun: last.notRun ?? flags.notRun });
  }
  const files = programs.map(({ file }) => file);
  const twice = files.find((file, index) => files.indexOf(file) !== index);
  if (twice !== undefined) throw new Error(`${path}: two blocks have file=${twice}`);
  return programs;
}

function begin(page: string, fence: Fence, flags: Flags, at: string): Program {
  const file = flags.file ?? `line-${fence.line}.${fence.language}`;
  if (!/^[\w.-]+\.(?:ts|cjs)$/.test(file))
    throw new Error(`${at}: file=${file} is not a plain name that ends in .ts or .cjs`);
  return { page, line: fence.line, file, source: pad('', fence), notRun: flags.notRun, app: flags.app };
}

function readFlags(info: string, at: string): Flags {
  const [, words = '', reason] = /^(.*?)(?:\bno-run\b:?(.*))?$/.exec(info) ?? [];
  if (reason?.trim() === '') throw new Error(`${at}: say why it is not run, as in "no-run: needs a real Sentinel"`);
  let file: string | undefined;
  let app: string | undefined;
  let continues = false;
  for (const word of words.split(/\s+/).filter((part) => part !== '')) {
    if (word === 'continues') continues = true;
    else if (word.startsWith('file=')) file = word.slice('file='.length);
    else if (word.startsWith('app=') && apps.has(word.slice('app='.length))) app = word.slice('app='.length);
    else throw new Error(`${at}: "${word}" is none of "file=name.ts", "app=name", "continues" and "no-run: <reason>"`);
  }
  if (continues && file !== undefined) throw new Error(`${at}: a block that continues has no file of its own`);
  return { file, app, continues, notRun: reason?.trim() };
}

function pad(before: string, { line, text }: Fence): string {
  const lines = before.split('\n').length;
  return `${before}${'\n'.repeat(line - lines)}${text}\n`;
}
