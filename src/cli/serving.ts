import { hostErrors } from "#host";

/** The port as someone typed it. */
export function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || text.trim() === "") throw hostErrors.wrongPort(text);
  return port;
}

/** The first signal lets what is under way finish; the second ends at once. */
export async function untilAskedToStop(stop: () => Promise<"finished" | "cut">): Promise<number> {
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        resolve();
        process.once(signal, () => process.exit(1));
      });
    }
  });
  const how = await stop();
  return how === "finished" ? 0 : 1;
}
