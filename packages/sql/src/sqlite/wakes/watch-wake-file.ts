import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { createWakeFile, removeLeftWakeFiles, removeWakeFile } from './wake-file.ts';

/**
 * Creates the wake file of this process, and calls `heard` after each touch. The watch keeps no
 * process running. Returns what ends it.
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
    // There are limits of watches, for each user.
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
