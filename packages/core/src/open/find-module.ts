import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The module, or `undefined` if it does not exist. If an existing module fails to load, rejects
 * with its error.
 */
export async function findModule(id: string): Promise<unknown> {
  if (isBuiltin(id)) return await importOrRequire(id, id);
  // A path is relative to the application.
  const isPath = id.startsWith('.') || isAbsolute(id);
  const beside = isPath ? undefined : requirePath(id, ownUrl());
  // With pnpm and in workspaces this package may be stored away from the application, which
  // installed the adapter.
  const found = beside ?? requirePath(id, pathToFileURL(join(process.cwd(), 'any.js')).href);
  if (found !== undefined) return await importOrRequire(pathToFileURL(found).href, found);
  return isPath ? undefined : await importOnly(id);
}

/** A package beside this one with an export for `import` only. */
async function importOnly(id: string): Promise<unknown> {
  try {
    return await import(/* any module */ id);
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    const name = id.split('/', id.startsWith('@') ? 2 : 1).join('/');
    if (code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return undefined;
    if (code === 'ERR_MODULE_NOT_FOUND' && String(message).includes(`'${name}'`)) return undefined;
    if (await importsFail()) return undefined;
    throw error;
  }
}

async function importOrRequire(url: string, path: string): Promise<unknown> {
  try {
    return await import(/* any module */ url);
  } catch (error) {
    if (!(await importsFail())) throw error;
    return createRequire(path)(path) as unknown;
  }
}

/** Jest, by default, runs modules where every `import()` rejects. */
async function importsFail(): Promise<boolean> {
  const module = 'node:module';
  return await import(/* any module */ module).then(
    () => false,
    () => true,
  );
}

function requirePath(id: string, base: string | undefined): string | undefined {
  try {
    return base === undefined ? undefined : createRequire(base).resolve(id);
  } catch {
    return undefined;
  }
}

/** Of this module. A bundle may have none. */
function ownUrl(): string | undefined {
  try {
    return import.meta.url;
  } catch {
    return undefined;
  }
}

/** Whether this module is in its package, and not in a bundle of an application. */
export function isPublished(): boolean {
  const url = ownUrl();
  try {
    // In `dist/bundle`; in `src/open` before the build.
    const manifest = readFileSync(new URL('../../package.json', url), 'utf8');
    return (JSON.parse(manifest) as { readonly name?: unknown }).name === '@locks/core';
  } catch {
    return false;
  }
}
