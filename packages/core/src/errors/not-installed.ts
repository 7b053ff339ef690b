/**
 * Whether `error`, of an import of the package `name`, says that it is not installed. A package
 * that it needs itself may be missing instead.
 */
export function isNotInstalled(error: unknown, name: string): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  // As `require` calls it, and as `import` does.
  return /^(?:ERR_)?MODULE_NOT_FOUND$/.test(String(code)) && String(message).includes(`'${name}'`);
}
