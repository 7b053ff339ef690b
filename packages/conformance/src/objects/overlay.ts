/** `target` with the members of `own` in place of its own. Its methods may use private fields. */
export function overlay<T extends object>(target: T, own: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      const source = name in own ? own : target;
      const value: unknown = Reflect.get(source, name, source);
      return typeof value === 'function' ? (value.bind(source) as unknown) : value;
    },
  });
}
