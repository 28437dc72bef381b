import { readFileSync } from "node:fs";

/** MiB of a process's memory as the operating system counts it: current (`VmRSS`) or peak (`VmHWM`). */
export function mebibytesOf(pid: number, field: "VmRSS" | "VmHWM" = "VmRSS"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, kibibytes] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(status) ?? [];
  if (kibibytes === undefined) throw new Error(`The system says nothing of ${field} of process ${pid}.`);
  return Number(kibibytes) / 1024;
}
