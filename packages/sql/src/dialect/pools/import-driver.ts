import { LockError, isNotInstalled } from '@locks/core/adapter';

/**
 * The package `module`, imported by `load`.
 * @throws `LOCK_MISCONFIGURED` with what to install.
 */
export async function importDriver<T>(module: string, load: () => Promise<{ readonly default: T }>): Promise<T> {
  try {
    return (await load()).default;
  } catch (error) {
    const absent = isNotInstalled(error, module);
    throw new LockError(
      'LOCK_MISCONFIGURED',
      `@locks/sql needs ${module}, which ${absent ? 'is not installed' : 'cannot be loaded'}. Run: npm install ${module}`,
      absent ? {} : { cause: error },
    );
  }
}
