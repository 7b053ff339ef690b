/** `provider`, which also calls `then` when it is closed. */
export function closing<Provider extends { close(): Promise<void> }>(
  provider: Provider,
  then: () => Promise<void> | void,
): Provider {
  const close = provider.close.bind(provider);
  provider.close = async () => {
    await close();
    await then();
  };
  return provider;
}
