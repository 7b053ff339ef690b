import { refusal as rejection } from '../../../core/test/support/lock-error.ts';
import { createEtcdProvider } from '../../src/index.ts';

/** What opening a provider rejects with. */
export const refusal = (...given: Parameters<typeof createEtcdProvider>): ReturnType<typeof rejection> =>
  rejection(createEtcdProvider(...given));
