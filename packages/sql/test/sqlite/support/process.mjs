// How another process of the conformance suite makes its provider.
import { systemRuntime } from '@locks/core/adapter';
import { fromConfig } from '@locks/sql';

export function create({ url, ...options }) {
  return fromConfig({ url, options, runtime: systemRuntime });
}
