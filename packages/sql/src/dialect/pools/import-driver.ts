import { LockError } from '@locks/core/adapter';

/**
 * The package `module`, which `load` imports.
 * @throws `LOCK_MISCONFIGURED` with what to install.
 */
export async function importDriver<T>(module: string, load: () => Promise<{ readonly default: T }>): Promise<T> {
  try {
    return (await load()).default;
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    // As `require` calls it, and as `import` does.
    const absent = /^(?:ERR_)?MODULE_NOT_FOUND$/.test(String(code)) && String(message).includes(`'${module}'`);
    throw new LockError(
      'LOCK_MISCONFIGURED',
      `@locks/sql needs ${module}, which ${absent ? 'is not installed' : 'cannot be loaded'}. Run: npm install ${module}`,
      absent ? {} : { cause: error },
    );
  }
}
