import type { Program } from './definition.ts';
import { findProgram, installDebianPackage, mayInstall } from './install.ts';
import { messageOf } from './ready.ts';

/** The path of a program that tests run, such as `psql`; installs it first where that is harmless, else rejects with what to install. */
export async function ensureTool(tool: Pick<Program, 'binary' | 'debianPackage' | 'macos'>): Promise<string> {
  const found = await findProgram(tool);
  if (found !== undefined) return found;
  const ways = `Install it (Debian, Ubuntu: "sudo apt-get install ${tool.debianPackage}"; macOS: "${tool.macos}")`;
  if (!mayInstall()) throw new Error(`${tool.binary} was not found in PATH. ${ways}`);
  try {
    await installDebianPackage(tool);
  } catch (error) {
    throw new Error(`installing ${tool.debianPackage} failed: ${messageOf(error)}. ${ways}`, { cause: error });
  }
  const installed = await findProgram(tool);
  if (installed !== undefined) return installed;
  throw new Error(`${tool.debianPackage} is installed, but ${tool.binary} was not found in PATH. ${ways}`);
}
