import { Inject } from '@nestjs/common';

/** The injection token of the application's client. Tests override its provider. */
export const LOCKS: unique symbol = Symbol.for('@locks/nestjs');

/** Injects the application's client into a constructor parameter or a property. */
export function InjectLocks(): ParameterDecorator & PropertyDecorator {
  return Inject(LOCKS);
}
