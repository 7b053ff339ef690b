// Writes src/wire/scripts.ts from lua/*.lua: the text that is sent, its SHA-1, and the includes
// resolved.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const folder = new URL('../lua/', import.meta.url);
const target = new URL('../src/wire/scripts.ts', import.meta.url);
const scripts = {
  acquire: 'acquire',
  acquireEach: 'acquire-each',
  acquireShared: 'acquire-shared',
  renew: 'renew',
  renewEach: 'renew-each',
  release: 'release',
  releaseEach: 'release-each',
  inspect: 'inspect',
  list: 'list',
  time: 'time',
  register: 'register',
  initialise: 'initialise',
  fencedSet: 'fenced-set',
};

const read = (name) => readFileSync(new URL(`${name}.lua`, folder), 'utf8');

/** Comments and indentation go: they would be sent with every EVAL. */
const strip = (text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('--'))
    .join('\n');

function embed() {
  const parts = Object.entries(scripts).map(([name, file]) => {
    const lua = strip(read(file).replaceAll(/^-- include (\S+)$/gm, (_, included) => read(included)));
    const sha = createHash('sha1').update(lua).digest('hex');
    return `  ${name}: {\n    sha: '${sha}',\n    lua: \`${lua}\`,\n  },`;
  });
  return [
    '// Written by scripts/embed-lua.mjs from lua/*.lua at each build. Change those.',
    '',
    '/** A Lua script and the digest that EVALSHA calls it by. */',
    'export interface Script {',
    '  readonly sha: string;',
    '  readonly lua: string;',
    '}',
    '',
    `export const scripts: Readonly<Record<${Object.keys(scripts)
      .map((name) => `'${name}'`)
      .join(' | ')}, Script>> = {`,
    ...parts,
    '};',
    '',
    '/** The Lua function `fence(key, token)`, for a script of your own: see `lua/fence.lua`. */',
    `export const fenceLua: string = \`${strip(read('fence'))}\`;`,
    '',
  ].join('\n');
}

writeFileSync(target, embed());
