import { cp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Contender } from "../pages/contenders.ts";
import { command, repository } from "../pages/prepare.ts";
import { ServerProcess } from "../pages/server-process.ts";

/** As many links on each page, so that only the number of routes grows. */
export const linksOfRoute = 10;

const pageOf = (route: string): string => `import { Link } from "holdfast";

export default function Page({ data }: PageProps<"/${route}">) {
  return (
    <ul>
      {data.links.map(({ id, title }) => (
        <li key={id}>
          <Link to="/${route}">{title}</Link>
        </li>
      ))}
    </ul>
  );
}
`;

const loadOf = (route: string): string => `import { load } from "holdfast/server";
import { keep, linksOf } from "../parts/made.ts";

export const data = load("/${route}", () => ({ links: keep("links", () => linksOf(${linksOfRoute})) }));
`;

/** Writes an application of this many routes, each with files of its own, builds and starts it. */
export async function startRoutes(contender: Contender, count: number): Promise<ServerProcess> {
  const folder = path.join(process.env.HOLDFAST_BENCH ?? path.join(tmpdir(), "holdfast-bench"), `routes-${count}`);
  await rm(folder, { recursive: true, force: true });
  const pages = path.join(folder, "src/pages");
  await mkdir(pages, { recursive: true });
  await cp(path.join(import.meta.dirname, "app/src/parts"), path.join(folder, "src/parts"), { recursive: true });
  await symlink(path.join(repository, "node_modules"), path.join(folder, "node_modules"));
  // A server has started when it answers at `/`, which is one of the routes.
  await writeFile(path.join(pages, "index.tsx"), "export default () => <h1>Home</h1>;\n");
  for (let at = 1; at < count; at++) {
    await writeFile(path.join(pages, `r${at}.tsx`), pageOf(`r${at}`));
    await writeFile(path.join(pages, `r${at}.server.ts`), loadOf(`r${at}`));
  }
  const startedAt = performance.now();
  await command(contender, contender.build, folder, 0);
  console.error(`${count} routes: built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return await ServerProcess.start({ contender, folder });
}
