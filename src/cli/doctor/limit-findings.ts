import { type DeclaredLimits, readApplication, readDeclaredLimits } from "#build";
import { type HoldfastConfig, limitsThatHold, readConfig, serverLimitsOf, settableLimits, writeLimit } from "#host";
import { problemsOfDeclared } from "../declared-limits.ts";
import type { DoctorFinding } from "./finding.ts";

const about = "Limits";

/** The limits that hold: of the server, then of each route and action that sets its own. */
export async function limitFindings(root: string): Promise<DoctorFinding[]> {
  try {
    const [config, application] = await Promise.all([readConfig(root), readApplication(root)]);
    const declared = await readDeclaredLimits(application);
    return [serverFinding(config), ...declared.flatMap((one) => routeFindings(one, config))];
  } catch {
    // The findings about routes and settings say why.
    return [];
  }
}

function serverFinding({ limits, submissions }: HoldfastConfig): DoctorFinding {
  const { actionSeconds = serverLimitsOf(undefined).actionMs / 1_000 } = submissions ?? {};
  const held = (Object.keys(settableLimits) as (keyof typeof settableLimits)[]).map((name) => {
    const value = limitsThatHold(limits)[name];
    const { usual } = settableLimits[name];
    return `${name} ${writeLimit(name, value)}${value === usual ? "" : ` (default ${writeLimit(name, usual)})`}`;
  });
  return { kind: "good", about, message: [`submissions.actionSeconds ${actionSeconds} s`, ...held].join(", ") };
}

function routeFindings(declared: DeclaredLimits, config: HoldfastConfig): DoctorFinding[] {
  const { place, action, limits } = declared;
  const what = action === undefined ? place : `${place}, action ${action}`;
  const problems = problemsOfDeclared(declared, config);
  if (problems.length > 0) return problems.map((problem) => ({ kind: "bad", about, message: `${what}: ${problem}` }));
  const held = Object.entries(limits).map(([name, value]) => `${name} ${value}`);
  return [{ kind: "good", about, message: `${what}: ${held.join(", ")}` }];
}
