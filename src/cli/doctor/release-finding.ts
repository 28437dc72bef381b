import { readReleaseStatus } from "#host";
import type { DoctorFinding } from "./finding.ts";

/** Which routes of the last release another build answers, or should. Nothing where no release was counted. */
export async function releaseFinding(dataFolder: string): Promise<DoctorFinding[]> {
  const about = "Releases";
  const status = await readReleaseStatus(dataFolder);
  if (!status) return [];
  const remarkable = status.routes.filter(({ remark }) => remark !== "");
  if (remarkable.length === 0) return [{ kind: "good", about, message: `${status.name} answers all its routes` }];
  return remarkable.map(({ route, on, remark }) => ({
    kind: "notice",
    about,
    message: `${route} runs on ${on} (${remark})`,
  }));
}
