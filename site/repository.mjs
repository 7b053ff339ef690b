import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository, which pages are read from. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Where readers see the files that are no pages. */
export const repositoryUrl = repository.url.replace(/^git\+|\.git$/g, '');

/** The version that all packages have, and where it is told what changed. */
export function release() {
  const core = 'packages/core';
  const { version } = JSON.parse(readFileSync(join(root, core, 'package.json'), 'utf8'));
  const changelog = existsSync(join(root, core, 'CHANGELOG.md')) ? `/${core}/CHANGELOG` : `${repositoryUrl}/releases`;
  return { version, changelog };
}
