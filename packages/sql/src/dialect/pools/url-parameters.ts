/**
 * What the parameters of URLs that are made for other clients mean as options here, by their names.
 * `undefined`: not that value.
 */
export type UrlParameters = Readonly<Record<string, (value: string) => Readonly<Record<string, unknown>> | undefined>>;

/** Those that Prisma and its hosts put into the URLs of servers. */
export const commonParameters: UrlParameters = {
  connection_limit: (pool) => ({ pool }),
};

/** What each value means. The case of letters does not matter. */
export function valuesOf(meanings: Readonly<Record<string, Readonly<Record<string, unknown>>>>): UrlParameters[string] {
  return (value) => (Object.hasOwn(meanings, value.toLowerCase()) ? meanings[value.toLowerCase()] : undefined);
}
