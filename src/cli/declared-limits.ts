import type { DeclaredLimits } from "#build";
import {
  type HoldfastConfig,
  problemsOfOwnLimits,
  readConfig,
  serverLimitsOf,
  uploadLimitsWithoutUploads,
  withoutDisk,
  wrongLimit,
} from "#host";

/** Throws if one of the limits that the files of an application declare cannot hold. */
export async function checkDeclaredLimits(root: string, declared: readonly DeclaredLimits[]): Promise<void> {
  // The start names what is wrong with the configuration. It may read variables that a build does not have.
  const config = await readConfig(root).catch((): HoldfastConfig => ({}));
  for (const one of declared) {
    const problems = problemsOfDeclared(one, config);
    const { file, action } = one;
    if (problems.length > 0) throw wrongLimit(action === undefined ? file : `${file} (actions.${action})`, problems);
  }
}

/** Only numbers are checked. What running code decides is checked at the first request. */
export function problemsOfDeclared({ of, limits, uploads }: DeclaredLimits, config: HoldfastConfig): string[] {
  const numbers = Object.fromEntries(Object.entries(limits).filter(([, value]) => typeof value === "number"));
  const shared = serverLimitsOf(config.limits);
  const problems = problemsOfOwnLimits(numbers, of, uploads === "disk" ? shared : withoutDisk(shared));
  const isForUploads = "uploadBytes" in limits || "files" in limits;
  return uploads === "none" && isForUploads ? [...problems, uploadLimitsWithoutUploads] : problems;
}
