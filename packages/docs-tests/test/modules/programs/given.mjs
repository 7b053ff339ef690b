import { createSqlProvider } from '@locks/sql';
import postgres from 'postgres';

try {
  createSqlProvider(postgres(process.env.STORE));
} catch (error) {
  console.log(error.code, error.message);
}
