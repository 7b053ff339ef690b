import { instrumentLocks } from '@locks/opentelemetry';

try {
  instrumentLocks().end();
} catch (error) {
  console.log(error.code, error.message);
}
