/** `provider`, which also calls `then` when it is first closed. */
export function closing<Provider extends { close(): Promise<void> }>(
  provider: Provider,
  then: () => unknown,
): Provider {
  const close = provider.close.bind(provider);
  let ended: Promise<unknown> | undefined;
  provider.close = async () => {
    await close();
    ended ??= Promise.resolve(then());
    await ended;
  };
  return provider;
}
