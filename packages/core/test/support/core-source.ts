import { fileURLToPath } from 'node:url';

function source(path: string): string {
  return fileURLToPath(new URL(`../../src/${path}`, import.meta.url));
}

/**
 * The sources of core by the names of its entries: what these tests take of core and what the
 * composites take is one copy. The longer names come first, as the first that fits counts.
 */
export const coreSource: Readonly<Record<string, string>> = {
  '@locks/core/adapter': source('adapter/index.ts'),
  '@locks/core/composite': source('composite/index.ts'),
  '@locks/core/open': source('open/index.ts'),
  '@locks/core/text': source('text/index.ts'),
  '@locks/core': source('index.ts'),
};
