import { expect, test } from "vitest";
import { silentServerSignals } from "#signals";
import { load } from "./author/define.ts";
import { dataLinesOf, testApplication } from "./test-application.ts";

const page = { default: () => null };
const names = () => new Response("names");
const fails = () => {
  throw new Error("broken");
};

test("an application below a path loads its routes by their ids", async () => {
  await using app = await testApplication(
    { "users/[id].tsx": page, "users/[id].server.ts": { data: load("/users/[id]", ({ params }) => params.id) } },
    { at: "/admin" },
  );
  const { status, text } = await app.ask("/admin/users/7/_data");
  expect(status).toBe(200);
  expect(dataLinesOf(text)).toMatchObject([{ route: "/admin/users/[id]" }, { params: { id: "7" } }, { kind: "end" }]);
  expect((await app.ask("/users/7")).status).toBe(404);
});

test("reports name a route with the path below which its application lives", async () => {
  const known: string[][] = [];
  const errors: unknown[] = [];
  await using app = await testApplication(
    { "index.tsx": page, "users/[id].tsx": page, "users/[id].server.ts": { data: load("/users/[id]", fails) } },
    {
      at: "/admin",
      signals: {
        ...silentServerSignals,
        routesKnown: (routes) => void known.push([...routes]),
        errorCaught: (error, place) => {
          errors.push(place.route);
          return silentServerSignals.errorCaught(error, place);
        },
      },
    },
  );
  expect(known).toEqual([["/admin", "/admin/users/[id]"]]);
  await app.ask("/admin/users/7");
  expect(errors).toEqual(["/admin/users/[id]"]);
});

test("an unknown address below a path belongs to the nearest folder, with its parameters", async () => {
  const seen: unknown[] = [];
  await using app = await testApplication(
    {
      "index.tsx": page,
      "[team]/_layout.server.ts": { guard: ({ params }: { params: unknown }) => void seen.push(params) },
      "[team]/list.tsx": page,
      "api/names.server.ts": { GET: names },
    },
    { at: "/admin" },
  );
  expect((await app.ask("/admin/blue/nothing")).status).toBe(404);
  expect(seen).toEqual([{ team: "blue" }]);
  expect((await app.ask("/elsewhere/nothing")).status).toBe(404);
  expect(seen).toHaveLength(1);
});
