// Usage: node .ci/complete-lock.mjs
// After `npm install` against a registry that lacks the binaries of other platforms: adds to
// package-lock.json the optional packages that npm left out. Without them `npm ci` refuses the lock
// file everywhere. They get no integrity, which an `npm install` against a full registry adds; os
// and cpu come from the name.
import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));
const { packages } = lock;
let added = 0;
for (const [parent, entry] of Object.entries({ ...packages })) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const [, os, cpu, abi] =
      /\/(?:binding-)?(android|darwin|freebsd|linux|openharmony|win32|windows)-([a-z0-9]+)(?:-(\w+))?$/.exec(name) ??
      [];
    const at = `node_modules/${name}`;
    if (os === undefined || packages[at] !== undefined || packages[`${parent}/${at}`] !== undefined) continue;
    if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${name}@${version} is not an exact version`);
    packages[at] = {
      version,
      cpu: [cpu === '64' ? 'x64' : cpu],
      ...(entry.dev ? { dev: true } : {}),
      ...(abi === 'gnu' ? { libc: ['glibc'] } : abi === 'musl' ? { libc: ['musl'] } : {}),
      ...(entry.license ? { license: entry.license } : {}),
      optional: true,
      os: [os === 'windows' ? 'win32' : os],
      ...(entry.engines ? { engines: entry.engines } : {}),
    };
    added += 1;
  }
}
const sorted = Object.keys(packages).toSorted((one, other) => one.localeCompare(other, 'en'));
lock.packages = Object.fromEntries(sorted.map((key) => [key, packages[key]]));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added} added\n`);
