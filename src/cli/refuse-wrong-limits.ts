import { readApplication, readDeclaredLimits } from "#build";

/** A build that passed would refuse the first request of the route. */
export async function refuseWrongLimits(root: string): Promise<void> {
  const declared = await readDeclaredLimits(await readApplication(root));
  if (declared.length === 0) return;
  // Judging them takes the code of the server, which other builds do without: a third of their time.
  const { checkDeclaredLimits } = await import("./declared-limits.ts");
  await checkDeclaredLimits(root, declared);
}
