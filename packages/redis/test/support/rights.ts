import { readFile } from 'node:fs/promises';

/** The page of Redis in the documentation. */
export const page = await readFile(new URL('../../../../docs/backends/redis.md', import.meta.url), 'utf8');
const [, rules = ''] = /^ACL SETUSER locker on >… ([^`]*)^```$/m.exec(page) ?? [];

/** What the page says that a user needs. */
export const documented: readonly string[] = rules.trim().split(/\s+/);
