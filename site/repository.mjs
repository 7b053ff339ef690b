import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { manifestOf, root } from '../.ci/published.mjs';

/** Where readers see the files that are no pages. */
export const repositoryUrl = manifestOf(root).repository.url.replace(/^git\+|\.git$/g, '');

/** The version of all packages, and where the site shows what changed. */
export function release() {
  const core = join(root, 'packages/core');
  const changelog = existsSync(join(core, 'CHANGELOG.md')) ? '/packages/core/CHANGELOG' : `${repositoryUrl}/releases`;
  return { version: manifestOf(core).version, changelog };
}
