import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { createWakeFile, removeLeftWakeFiles, removeWakeFile } from './wake-file.ts';

/**
 * Creates the wake file of this process, and calls `heard` after each touch. The watch does not
 * keep the process running. Returns a function that ends it.
 */
export function watchWakeFile(
  path: string,
  process: string,
  heard: () => void,
  lost: (reason: unknown) => void,
): () => void {
  removeLeftWakeFiles(path);
  const file = createWakeFile(path, process);
  let watcher: FSWatcher;
  try {
    watcher = watch(file, { persistent: false });
  } catch (error) {
    // The number of watches is limited per user.
    removeWakeFile(file);
    throw error;
  }
  const removed = (): Error => new Error(`the file ${JSON.stringify(file)} was removed`);
  watcher.on('change', (event) => (event === 'rename' ? lost(removed()) : heard()));
  watcher.on('error', lost);
  return () => {
    watcher.close();
    removeWakeFile(file);
  };
}
