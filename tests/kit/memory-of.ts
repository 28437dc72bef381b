import { readFileSync } from "node:fs";

/**
 * MiB that a process holds in memory as the operating system counts: now (`VmRSS`), or the most it ever held (`VmHWM`).
 */
export function mebibytesOf(pid: number, field: "VmRSS" | "VmHWM" = "VmRSS"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, kibibytes] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(status) ?? [];
  if (kibibytes === undefined) throw new Error(`The system says nothing of ${field} of process ${pid}.`);
  return Number(kibibytes) / 1024;
}
