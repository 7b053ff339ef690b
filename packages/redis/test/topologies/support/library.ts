/**
 * Options of a URL: the library that opens it. `LOCKS_TEST_LIBRARY=redis` runs the tests with
 * another one than the first that is installed.
 */
export const ofLibrary: object =
  process.env['LOCKS_TEST_LIBRARY'] === undefined ? {} : { library: process.env['LOCKS_TEST_LIBRARY'] };
