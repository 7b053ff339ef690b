import { misconfigured } from '../../errors/misconfigured.ts';

const placeholder = /\$(\$?)\{([^}]*)\}?/g;

/**
 * `value` with `${NAME}` in its texts replaced by the environment variable of that name. `$${`
 * stands for `${`. Throws `LOCK_MISCONFIGURED` with `where`, the option and the name of a variable
 * that is not set.
 */
export function fillPlaceholders(value: unknown, where: string, path: readonly string[] = []): unknown {
  if (typeof value === 'string') return fillText(value, where, path);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each, index) => fillPlaceholders(each, where, [...path, `${index}`]));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, fillPlaceholders(each, where, [...path, name])]),
  );
}

function fillText(text: string, where: string, path: readonly string[]): string {
  return text.replaceAll(placeholder, (whole, escape: string, name: string) => {
    if (escape === '$') return whole.slice(1);
    const option = `option "${path.join('.')}"`;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || !whole.endsWith('}')) {
      throw misconfigured(
        where,
        `${option} has a placeholder that cannot be read; write \${NAME}, or $\${ for the characters`,
      );
    }
    const filled = process.env[name];
    if (filled !== undefined) return filled;
    throw misconfigured(where, `${option} needs the environment variable ${name}, which is not set`);
  });
}
