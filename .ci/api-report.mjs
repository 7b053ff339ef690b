// Usage: node .ci/api-report.mjs [--update]
//
// Compares the public API of each published package, as its built types show it, with
// packages/<name>/api.md. Prints the differences and fails if there are any. With --update it
// writes the files instead. Fails in any case if a signature names a type that cannot be imported.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { entriesOf, isImportable, manifestOf, publishedFolders, root } from './published.mjs';

const update = process.argv.includes('--update');
const scratch = mkdtempSync(join(tmpdir(), 'locks-api-'));
try {
  const packages = publishedFolders().filter(isImportable);
  const reports = reportsOf(packages.flatMap(entriesOf));
  let changed = false;
  for (const folder of packages) {
    const api = withoutReachable(reports.get(folder).join('\n'));
    if (namesMissing(folder, api)) process.exitCode = 1;
    else changed = settle(folder, api) || changed;
  }
  if (changed) {
    process.stderr.write(
      '\nThe public API is not what api.md says. If that is meant: npm run api:update, and add a changeset.\n',
    );
    process.exitCode = 1;
  }
} finally {
  rmSync(scratch, { recursive: true });
}

/** The report of each package, by folder: a section for each import path. */
function reportsOf(entries) {
  const configs = entries.map(({ folder, types }) =>
    ExtractorConfig.prepare({
      packageJsonFullPath: join(folder, 'package.json'),
      configObjectFullPath: undefined,
      configObject: {
        projectFolder: folder,
        mainEntryPointFilePath: types,
        newlineKind: 'lf',
        compiler: {
          overrideTsconfig: {
            compilerOptions: {
              target: 'es2022',
              lib: ['es2023', 'esnext.disposable'],
              types: ['node'],
              module: 'nodenext',
              strict: true,
              skipLibCheck: true,
            },
            files: [types],
          },
        },
        apiReport: {
          enabled: true,
          reportFileName: 'report.api.md',
          reportFolder: folderFor(`${types}.reports`),
          reportTempFolder: folderFor(`${types}.temp`),
        },
        docModel: { enabled: false },
        dtsRollup: { enabled: false },
        tsdocMetadata: { enabled: false },
        messages: {
          extractorMessageReporting: {
            default: { logLevel: ExtractorLogLevel.None },
            // `namesMissing` looks for these.
            'ae-forgotten-export': { logLevel: ExtractorLogLevel.None, addToApiReportFile: true },
          },
          tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
        },
      },
    }),
  );
  const [first, ...others] = entries.map(({ types }) => types);
  const compilerState = CompilerState.create(configs[entries.findIndex(({ types }) => types === first)], {
    additionalEntryPoints: others,
  });
  const reports = new Map();
  for (const [index, { folder, id }] of entries.entries()) {
    Extractor.invoke(configs[index], { compilerState, localBuild: true, messageCallback: (each) => silence(each) });
    const text = readFileSync(configs[index].reportFilePath, 'utf8');
    reports.set(folder, [...(reports.get(folder) ?? []), `## ${id}\n\n${codeOf(text)}\n`]);
  }
  return reports;
}

/** A separate folder, which must exist for the extractor. */
function folderFor(name) {
  const folder = join(scratch, name.slice(root.length).replaceAll(/[^\w.]/g, '-'));
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Real errors are printed. A new report is no error. */
function silence(message) {
  if (message.logLevel !== ExtractorLogLevel.Error) message.logLevel = ExtractorLogLevel.None;
}

/** The declarations of a report, without useless remarks. */
function codeOf(report) {
  const [code = ''] = /```ts\n[^]*\n```/.exec(report) ?? [];
  return code
    .replaceAll(/^ *\/\*\*[^]*?\*\/\n/gm, '')
    .replaceAll(/^ *\/\/ (?:@public|\(undocumented\)|\(No @packageDocumentation .*\))\n/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .replace(/```ts\n\n/, '```ts\n')
    .replace(/\n+```$/, '\n```');
}

/** A type that another import path of the package exports is not missing. */
function withoutReachable(text) {
  const warning = /^ *\/\/ (?:Warning: \(ae-forgotten-export\)|.*- \(ae-forgotten-export\)) The symbol "(\w+)".*\n/gm;
  const exported = new Set(
    [...text.matchAll(/^export (?:\w+ )*?(?:class|const|function|interface|type) (\w+)/gm)].map(([, name]) => name),
  );
  return text
    .replaceAll(warning, (line, name) => (exported.has(name) ? '' : line.replace(/\S+\.d\.ts:\d+:\d+ - /, '')))
    .replaceAll(/\/\/ Warnings were encountered during analysis:\n\/\/\n(?=\n|```)/g, '')
    .replaceAll(/^ *\/\/\n/gm, '');
}

/** Prints the types in signatures that cannot be imported. Returns whether there are any. */
function namesMissing(folder, api) {
  const { name } = manifestOf(folder);
  const missing = new Set([...api.matchAll(/The symbol "(\w+)" needs to be exported/g)].map(([, symbol]) => symbol));
  for (const symbol of missing) {
    process.stderr.write(
      `${name}: a signature names ${symbol}, which cannot be imported. Export it, or do not name it.\n`,
    );
  }
  return missing.size > 0;
}

/** Writes or compares the file of one package. Returns whether they differ. */
function settle(folder, api) {
  const file = join(folder, 'api.md');
  const { name } = manifestOf(folder);
  const head = `# Public API of ${name}\n\nWritten by \`npm run api:update\`; \`npm run check\` compares it.\n\n`;
  const text = head + api;
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (text === before) return false;
  if (update) {
    writeFileSync(file, text);
    process.stdout.write(`${name}: api.md written\n`);
    return false;
  }
  const [committed, built] = [join(scratch, 'committed.md'), join(scratch, 'built.md')];
  writeFileSync(committed, before);
  writeFileSync(built, text);
  const options = ['diff', '--no-index', '--no-prefix', '--unified=2'];
  const { stdout } = spawnSync('git', [...options, committed, built], { encoding: 'utf8' });
  const differences = stdout.split('\n').slice(4).join('\n');
  process.stderr.write(`\n${name}: packages/${basename(folder)}/api.md differs\n${differences}`);
  return true;
}
