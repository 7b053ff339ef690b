// Usage: node .ci/metadata.mjs [--update]
//
// The name of the repository is in one place, `repository` of the package.json of the root.
// Compares with it what the published packages and .github say: prints the differences, and fails
// if there are any. With --update it writes them instead.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { manifestOf, publishedFolders, root } from './published.mjs';

const update = process.argv.includes('--update');
const { repository, license } = manifestOf(root);
const [, address, owner] = /^git\+(https:\/\/github\.com\/([\w-]+)\/[\w.-]+)\.git$/.exec(repository.url) ?? [];
if (address === undefined) {
  throw new Error(`repository.url of package.json is git+https://github.com/<owner>/<name>.git, not ${repository.url}`);
}

/** The fields of each published package. */
function fieldsOf(folder) {
  return {
    homepage: `${address}/tree/main/${folder}#readme`,
    bugs: { url: `${address}/issues` },
    license,
    author: 'The @locks authors',
    funding: `https://github.com/sponsors/${owner}`,
    repository: { ...repository, directory: folder },
    publishConfig: { access: 'public' },
  };
}

/** Where files of .github name the owner or the repository. */
const places = [
  { file: '.github/CODEOWNERS', pattern: /@[\w-]+/g, value: `@${owner}` },
  { file: '.github/FUNDING.yml', pattern: /(?<=^github: ).+/gm, value: owner },
  { file: '.github/ISSUE_TEMPLATE/config.yml', pattern: /https:\/\/github\.com\/[\w-]+\/[\w.-]+/g, value: address },
];

const faults = [...packageFaults(), ...places.flatMap((place) => placeFault(place))];
const done = update ? 'written' : 'differs from the package.json of the root: npm run metadata:update';
for (const file of faults) process.stdout.write(`${file} ${done}\n`);
process.exitCode = faults.length === 0 || update ? 0 : 1;

function packageFaults() {
  return publishedFolders().flatMap((path) => {
    const folder = relative(root, path);
    const file = join(folder, 'package.json');
    const text = readFileSync(join(root, file), 'utf8');
    const manifest = JSON.parse(text);
    const fields = fieldsOf(folder);
    const differs = Object.entries(fields).some(([field, value]) => !isDeepStrictEqual(manifest[field], value));
    return !differs ? [] : settle(file, text, withFields(text, fields));
  });
}

/** A line for each field, before `type`. Other lines stay as they are. */
function withFields(text, fields) {
  const rest = Object.keys(fields).reduce((before, name) => before.replace(fieldPattern(name), ''), text);
  const lines = Object.entries(fields).map(([name, value]) => `  "${name}": ${inLine(value)},\n`);
  return rest.replace(/^ {2}"type": /m, `${lines.join('')}$&`);
}

function fieldPattern(name) {
  return new RegExp(String.raw`^ {2}"${name}": (?:"[^"]*"|\{[^{}]*\}),\n`, 'm');
}

function inLine(value) {
  if (typeof value === 'string') return JSON.stringify(value);
  const pairs = Object.entries(value).map(([name, each]) => `"${name}": ${JSON.stringify(each)}`);
  return `{ ${pairs.join(', ')} }`;
}

function placeFault({ file, pattern, value }) {
  const text = readFileSync(join(root, file), 'utf8');
  return settle(file, text, text.replaceAll(pattern, value));
}

/** Returns the name of a file that differs. */
function settle(file, text, wanted) {
  if (text === wanted) return [];
  if (update) writeFileSync(join(root, file), wanted);
  return [file];
}
