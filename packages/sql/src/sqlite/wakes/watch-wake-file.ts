import { statSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import type { Listener } from '@locks/core/adapter';
import { createWakeFile, removeLeftWakeFiles, removeWakeFile } from './wake-file.ts';

/**
 * Creates the wake file of this process, and calls `heard` after each touch. The watch keeps no
 * process running.
 */
export function watchWakeFile(
  path: string,
  process: string,
  heard: () => void,
  lost: (reason: unknown) => void,
): Listener {
  removeLeftWakeFiles(path);
  const file = createWakeFile(path, process);
  const { ino } = statSync(file);
  const removed = (): Error => new Error(`the file ${JSON.stringify(file)} was removed`);
  let watcher: FSWatcher;
  try {
    watcher = watch(file, { persistent: false });
  } catch (error) {
    // There are limits of watches, for each user.
    removeWakeFile(file);
    throw error;
  }
  watcher.on('change', (event) => (event === 'rename' ? lost(removed()) : heard()));
  watcher.on('error', lost);
  return {
    async probe() {
      // The watch follows the file, and others touch what has its name.
      if (statSync(file).ino !== ino) throw removed();
    },
    close() {
      watcher.close();
      removeWakeFile(file);
    },
  };
}
