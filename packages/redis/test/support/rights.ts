import { readFile } from 'node:fs/promises';

/** The page of the documentation that has the rights. */
export const page = await readFile(new URL('../../../../docs/backends/redis-operate.md', import.meta.url), 'utf8');
const [, rules = ''] = /^ACL SETUSER locker on >… ([^`]*)^```$/m.exec(page) ?? [];

/** What the page says that a user needs. */
export const documented: readonly string[] = rules.trim().split(/\s+/);
