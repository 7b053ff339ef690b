// How another process makes its provider.
import { createFolderProvider } from '@locks/example-custom-provider';

export const create = (folder) => createFolderProvider(folder);
