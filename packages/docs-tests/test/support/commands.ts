import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readMarkdown } from './fences.ts';
import type { Manifest, Page } from './repository.ts';
import { readManifest, root, workspaceFolders } from './repository.ts';

/** npm's own names for scripts. */
const aliases: Readonly<Record<string, string>> = { test: 'test', t: 'test', start: 'start' };

/**
 * The faults in the `sh` blocks of a page: scripts, workspaces and files that do not exist. Paths
 * may be relative to the root or to the page. A block whose commands belong elsewhere says
 * `no-check: <reason>`.
 */
export function commandProblems({ path, text }: Page): string[] {
  return readMarkdown(text)
    .fences.filter(({ language }) => language === 'sh')
    .flatMap(({ info, line, text: block }) => {
      const reason = /^no-check:?(.*)$/.exec(info)?.[1]?.trim();
      if (info !== '' && !reason) return [`${path}:${line - 1}: "${info}" is not "no-check: <reason>"`];
      if (reason !== undefined) return [];
      return block
        .replaceAll('\\\n', ' \n')
        .split('\n')
        .flatMap((command, index) =>
          problemsOf(command, dirname(path)).map((problem) => `${path}:${line + index}: ${problem}`),
        );
    });
}

function problemsOf(command: string, folder: string): string[] {
  const words = command
    .replace(/(?:^|\s)#.*$/, '')
    .trim()
    .replace(/^\$ /, '')
    .split(/\s+/)
    .map((word) => word.replaceAll(/^["'(]+|["');,]+$/g, ''));
  return [...scriptProblems(words), ...workspaceProblems(words), ...fileProblems(words, folder)];
}

function scriptProblems(words: readonly string[]): string[] {
  const npm = words.indexOf('npm');
  const verb = words[npm + 1] ?? '';
  const script = verb === 'run' ? words[npm + 2] : aliases[verb];
  if (npm === -1 || script === undefined) return [];
  const option = words.findIndex((word) => /^(?:-w|--workspace)(?:=|$)/.test(word));
  const workspace = option === -1 ? undefined : (words[option]?.split('=')[1] ?? words[option + 1]);
  const manifest = workspace === undefined ? readManifest('.') : findWorkspace(workspace);
  if (manifest === undefined) return [`there is no workspace ${workspace}`];
  return manifest.scripts?.[script] === undefined ? [`there is no script "${script}" in ${manifest.name}`] : [];
}

/** Packages of ours that are to be installed or run. */
function workspaceProblems(words: readonly string[]): string[] {
  return words
    .map((word) => /^(?:--\w+=)?(@locks\/[\w-]+)/.exec(word)?.[1])
    .filter((name) => name !== undefined && findWorkspace(name) === undefined)
    .map((name) => `there is no package ${name}`);
}

function fileProblems(words: readonly string[], folder: string): string[] {
  return words
    .filter(
      (word) => /^(?:\.{1,2}\/|\.)?[\w-][\w./-]*$/.test(word) && /\/|\.(?:[cm]?[jt]s|json|ya?ml|lua|md)$/.test(word),
    )
    .filter((word) => !existsSync(join(root, word)) && !existsSync(join(root, folder, word)))
    .map((word) => `there is no file ${word}`);
}

function findWorkspace(nameOrFolder: string): Manifest | undefined {
  return workspaceFolders()
    .map((folder) => ({ folder, manifest: readManifest(folder) }))
    .find(({ folder, manifest }) => manifest.name === nameOrFolder || folder === nameOrFolder.replace(/^\.\//, ''))
    ?.manifest;
}
