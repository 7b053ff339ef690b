import { Inject } from '@nestjs/common';

/** The injection token of the application's `Locks`. Tests override its provider. */
export const LOCKS: unique symbol = Symbol.for('@locks/nestjs');

/** Injects the application's `Locks` into a parameter of a constructor, or into a property. */
export function InjectLocks(): ParameterDecorator & PropertyDecorator {
  return Inject(LOCKS);
}
