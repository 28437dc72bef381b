import type { RouteNotice } from "./healing-record.ts";

/** Reported like an error, so that it becomes an issue and alerts are sent. It has no place in the code. */
export class ReleaseNotice extends Error {
  override readonly name = "ReleaseNotice";

  constructor(message: string) {
    super(message);
    this.stack = `ReleaseNotice: ${message}`;
  }
}

export interface NoticeNames {
  route: string;
  release: string;
  before: string;
}

export function sentenceOf(notice: RouteNotice, { route, release, before }: NoticeNames): string {
  if (notice.kind === "healed") return `healed: ${route} runs on ${before}`;
  if (notice.kind === "not-healed") return `not healed: ${route} fails on ${release} (${notice.why})`;
  if (notice.kind === "returned") return `returned: ${route} runs on ${release} again`;
  return `not healed: ${route} fails on ${before} as well, so it runs on ${release}`;
}
