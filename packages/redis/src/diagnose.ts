import type { AdapterConfig, Diagnosis } from '@locks/core/adapter';

/**
 * Examines the servers of a configuration, for `locks doctor`. Sends no command that writes.
 * @throws as `fromConfig`.
 */
export async function diagnose(config: AdapterConfig): Promise<Diagnosis> {
  // Loaded on first use, as few processes need it.
  return await (await import('./diagnosis/diagnose.ts')).diagnose(config);
}
