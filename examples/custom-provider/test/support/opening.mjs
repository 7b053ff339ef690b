import { createLocks } from '@locks/core';
import { createFolderProvider } from '@locks/example-custom-provider';

/** How a process of the nemesis opens its locks. */
export async function open({ args: folder }) {
  const locks = createLocks(await createFolderProvider(folder, { waiterTtl: 1_000 }), { closeProvider: true });
  return { locks, close: () => locks.close() };
}
