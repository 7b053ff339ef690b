import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { openLocks } from '../../src/index.ts';

const root = new URL('../../', import.meta.url);

/**
 * Copies the package into `folder`, as it is built: no adapter of this workspace can be found from
 * there. `bundled`: its files only, as a bundle would have them. Gives the folder of the copy.
 */
export async function copyCore(folder: string, { bundled = false } = {}): Promise<string> {
  await cp(new URL('dist/bundle', root), join(folder, 'dist/bundle'), { recursive: true });
  if (!bundled) await cp(new URL('package.json', root), join(folder, 'package.json'));
  return folder;
}

/** Imports a copy from `folder`. */
export async function importCopy(
  folder: string,
  options: { readonly bundled?: boolean } = {},
): Promise<{ openLocks: typeof openLocks }> {
  const copy = await copyCore(join(folder, 'core'), options);
  return (await import(pathToFileURL(join(copy, 'dist/bundle/index.js')).href)) as { openLocks: typeof openLocks };
}
