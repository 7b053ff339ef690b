// Checks two rules of CONTRIBUTING.md: comments wrap at 100 columns, and no text has a phrase that
// readers of the field stumble over. The formatter checks the width of Markdown. Exit code 1: a
// rule is violated.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const width = 100;
const banned = /\b(?:places? in line|lets? go(?! of)|letting go|[Aa]fter this page|so many ms|a `Locks`)\b|a `Locks`/;
const read = /\.(?:ts|mts|js|mjs|cjs|lua|sql|md|sh|yml|jsonc)$|^\.ci\/run$/;
// A migration is never changed. Generated files repeat other files. This file contains the words.
const skipped =
  /CHANGELOG\.md$|\/migrations\/|^packages\/sql\/src\/\w+\/(?:\w+-)?(?:statements|migrations)\.ts$|^\.ci\/language\.mjs$/;

/** The beginning of a comment line. Except in scripts, `#` begins a private member. */
function commentStart(path) {
  if (/\.(?:lua|sql)$/.test(path)) return /^\s*--/;
  return /\.(?:sh|yml)$|^\.ci\/run$/.test(path) ? /^\s*#/ : /^\s*\/\//;
}

/** Whether each line of a program is in a comment. */
function comments(lines, start) {
  let inside = false;
  return lines.map((line) => {
    if (/^\s*\/\*/.test(line)) inside = true;
    const comment = inside || start.test(line);
    if (line.includes('*/')) inside = false;
    return comment;
  });
}

/** The violations of a file, one message each. */
function faults(path) {
  const lines = readFileSync(path, 'utf8').split('\n');
  const isComment = path.endsWith('.md') ? [] : comments(lines, commentStart(path));
  return lines.flatMap((line, index) => {
    const place = `${path}:${index + 1}`;
    // CONTRIBUTING.md quotes the words.
    const word = banned.exec(path.endsWith('.md') ? line.replaceAll(/`[^`]*`/g, '') : line)?.[0];
    return [
      ...(isComment[index] && line.length > width ? [`${place}: ${line.length} columns, at most ${width}`] : []),
      ...(word === undefined
        ? []
        : [`${place}: "${word}": write the field's word (position, expires, N ms, client, …)`]),
    ];
  });
}

const tracked = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0');
const paths = tracked.filter((path) => read.test(path) && !skipped.test(path));
const found = paths.flatMap((path) => faults(path));
const report = [...found, `${paths.length} files read, ${found.length} faults`];
process.stdout.write(`${report.join('\n')}\n`);
process.exitCode = found.length === 0 ? 0 : 1;
