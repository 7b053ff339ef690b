import Libsql from 'libsql';

/** A fault of a SQLite file: another connection writes, until the answer is called. */
export function busyFile(url: string): () => () => void {
  const path = url.slice('sqlite:'.length);
  return () => {
    const database = new Libsql(path);
    try {
      database.exec('BEGIN IMMEDIATE');
    } catch {
      // Another fault keeps it busy.
    }
    return () => void database.close();
  };
}
